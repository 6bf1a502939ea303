"""The pure transition function: what may and what may not happen, in every order of events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memory_skill.distil import BRIEF_CHARS, NOTHING, Decision, Moment, State, brief, release, step
from memory_skill.journal import Turn
from memory_skill.text import estimate_tokens

DEPTH = 9  # steps; eight are asked for


@dataclass(frozen=True)
class World:
    """A host, its user and our state. What stands outside `state` is the truth that the test keeps itself."""

    state: State
    turn: int = 0  # prompts so far
    open: bool = False  # the turn runs
    held: bool = False  # a brief reached the model in this turn, and the host goes on
    intact: bool = False  # nothing came between that brief and now
    last: str = ""  # the turn of the last stop that ended
    brief: tuple[str, ...] = ()  # turns in the brief that reached the model last
    counted: tuple[str, ...] = ()  # whole turns whose stop was recorded
    answered: tuple[str, ...] = ()  # turns in briefs that were replied to
    blocks: tuple[int, ...] = ()  # number of counted turns at each brief that reached the model
    quiet: bool = False  # the session saved since the last brief or the last pass that was not needed
    unsaid: bool = False  # a save that no moment has told yet

    @property
    def name(self) -> str:
        return str(self.turn)


class Model:
    """Every event of the list, applied to a world with N = *every*; each transition is checked."""

    def __init__(self, every: int) -> None:
        self.every = every

    def tell(self, world: World, kind: str, **more: object) -> tuple[World, Decision]:
        moment = Moment(kind, saved=world.unsaid, every=self.every, **more)  # type: ignore[arg-type]
        state, decision = step(world.state, moment)
        if moment.subagent:
            assert (state, decision) == (world.state, NOTHING)
            return world, decision
        world = replace(world, quiet=world.quiet or world.unsaid, unsaid=False)
        return replace(world, state=state), decision

    def stop(self, world: World) -> tuple[World, Decision]:
        """One stop of the open turn, up to and without the delivery of a brief."""
        turn, before = world.name, world
        world, decision = self.tell(world, "stop", turn=turn, again=world.held)
        if decision.counts:
            assert turn not in before.counted
            world = replace(world, counted=(*world.counted, turn))
        if decision.block:
            assert not world.held, "a turn is never held twice"
            assert not world.quiet or decision.why == "asked: summary", "a session that saved is left alone"
            soonest = (self.every + 1) // 2 if before.state.said else self.every
            assert not world.blocks or len(world.counted) - world.blocks[-1] >= soonest
        elif decision.counts and world.quiet and not world.state.saved:
            world = replace(world, quiet=False)  # the pass was not needed
        return world, decision

    def close(self, world: World, decision: Decision) -> World:
        """What the host does after a stop: goes on with the brief, or ends the turn."""
        if not decision.block:
            if world.held and world.intact:
                world = replace(world, answered=(*world.answered, *world.brief), quiet=False)
            return replace(world, open=False, held=False, intact=False, last=world.name)
        shown = world.state.pending[-2:]  # an older turn may not fit
        world, _ = self.tell(world, "delivered", turn=world.name, turns=shown)
        return replace(world, held=True, intact=True, brief=shown, blocks=(*world.blocks, len(world.counted)))

    # the alphabet

    def prompt(self, world: World) -> World:
        world, _ = self.tell(world, "prompt")
        return replace(world, turn=world.turn + 1, open=True, held=False, intact=False)

    def ends(self, world: World) -> World:
        return self.close(*self.stop(world)) if world.open else world

    def duplicate(self, world: World) -> World:
        if not world.last:
            return world
        after, decision = self.tell(world, "stop", turn=world.last)
        assert decision == NOTHING
        assert after.state._replace(saved=world.state.saved) == world.state
        return after

    def parallel(self, world: World) -> World:
        if not world.open or world.held:
            return world
        first, decision = self.stop(world)
        second, again = self.tell(first, "stop", turn=first.name)
        assert again == NOTHING and second.state == first.state
        return self.close(second, decision)

    def subagent(self, world: World) -> World:
        return self.tell(world, "stop", turn=world.name, subagent=True)[0]

    def unprompted(self, world: World) -> World:
        after, decision = self.tell(world, "stop", turn="shell", whole=False)
        assert decision == NOTHING
        return after

    def resume(self, world: World) -> World:
        return replace(self.tell(world, "start")[0], open=False, held=False, intact=False)

    def interrupt(self, world: World) -> World:
        return replace(self.tell(world, "interrupt")[0], open=False, held=False, intact=False)

    def compact(self, world: World) -> World:
        return replace(self.tell(world, "compact")[0], intact=False)

    def crash_before(self, world: World) -> World:
        """The hook dies before its record is written: nobody has seen this stop."""
        if not world.open or world.held:
            return world
        return replace(world, open=False, last="")

    def crash_after(self, world: World) -> World:
        """The hook dies with its record written and nothing said: no brief reaches the model."""
        if not world.open or world.held:
            return world
        return replace(self.stop(world)[0], open=False, last=world.name)

    def save(self, world: World) -> World:
        return replace(world, unsaid=True)

    @property
    def alphabet(self) -> list[Callable[[World], World]]:
        return [
            self.prompt, self.ends, self.duplicate, self.parallel, self.subagent, self.unprompted,
            self.resume, self.interrupt, self.compact, self.crash_before, self.crash_after, self.save,
        ]  # fmt: skip

    def check(self, world: World) -> None:
        state, counted = world.state, set(world.counted)
        assert counted == set(state.pending) | set(world.answered), "no turn is lost, none is made up"
        assert not set(state.pending) & set(world.answered), "the mark moved past every answered turn"
        assert state.every in (0, *range(self.every, 4 * self.every + 1))
        assert not state.delivered or set(state.shown) <= set(state.pending)
        assert len(set(state.pending)) == len(state.pending)


def reachable(model: Model, depth: int) -> Iterator[World]:
    """All worlds within *depth* steps, equal ones once."""
    seen = {World(State())}
    edge = list(seen)
    for _ in range(depth):
        edge = list({act(world) for world in edge for act in model.alphabet} - seen)
        seen.update(edge)
        yield from edge


@pytest.mark.parametrize("every", [1, 2, 3])
def test_every_order_of_events_keeps_the_rules(every: int) -> None:
    """In all states reachable so far a turn is held once at most, one in N at most, and none is lost."""
    model = Model(every)
    held = answered = 0

    for world in reachable(model, DEPTH):
        model.check(world)
        held, answered = held + bool(world.blocks), answered + bool(world.answered)

    assert held and answered, "the walk reaches what it is about"


def turns(model: Model, world: World, n: int) -> World:
    for _ in range(n):
        world = model.ends(model.prompt(world))
        if world.held:
            world = model.ends(world)
    return world


def test_every_third_turn_is_held() -> None:
    """With N = 3 the third turn is held, and the next two are not."""
    world = turns(Model(3), World(State()), 5)

    assert world.blocks == (3,)


def test_empty_passes_double_the_pause_up_to_four_times() -> None:
    """After passes that keep nothing the brief comes at turns 3, 9, 21, 33, 45, no summary asked for."""
    world = turns(Model(3), World(State(asked=50)), 50)

    assert world.blocks == (3, 9, 21, 33, 45)


def test_a_summary_is_asked_for_after_twenty_turns() -> None:
    """By a brief that comes anyway, else at turn 23, though the session saved and nothing in it matters."""
    model = Model(3)
    world = turns(model, World(State()), 21)
    assert world.blocks == (3, 9, 21) and world.state.asked == 21

    state = State()
    for n in range(1, 24):
        state, decision = step(state, Moment("stop", f"t{n}", level=0, saved=n > 20))
        assert decision.block == (n == 23)
    assert decision.why == "asked: summary"


def test_a_single_remark_waits_for_company() -> None:
    """One statement without a sign is asked for after twice the pause, two are when the pause is over."""
    for levels, expected in (((2, 0, 0, 0, 0, 0), 6), ((2, 0, 2), 3), ((0, 2, 0, 2), 4)):
        state = State()
        for n, level in enumerate(levels, 1):
            state, decision = step(state, Moment("stop", f"t{n}", level=level))
            assert decision.block == (n == expected), (levels, n)


def test_turns_that_hold_nothing_hold_nobody() -> None:
    """Fifty nods ask for nothing but a summary; fifty turns of small talk are shown every twelfth turn."""
    for level, expected in ((0, []), (1, [12, 24, 36, 48])):
        state, asked = State(asked=50), []
        for n in range(1, 51):
            state, decision = step(state, Moment("stop", f"t{n}", level=level))
            if decision.block:
                asked.append(n)
                state = answered(state, f"t{n}", state.pending)
        assert asked == expected
        assert len(state.pending) == (50 if level == 0 else 2)


def answered(state: State, turn: str, shown: tuple[str, ...]) -> State:
    """The state after the brief of *turn* showed *shown*, and the model replied."""
    state, _ = step(state, Moment("delivered", turn, turns=shown))
    return step(state, Moment("answered"))[0]


def test_what_asks_to_be_kept_is_asked_for_early() -> None:
    """With the pause grown to twelve turns, a correction is followed by the brief in the turn after next."""
    state = State(every=12, blocked="t0", asked=1)
    state, quiet = step(state, Moment("stop", "t1", level=0))
    state, early = step(state, Moment("stop", "t2", sign="correction"))

    assert (quiet.block, early.block, early.why) == (False, True, "asked: correction")
    state = answered(state, "t2", ("t1", "t2"))
    assert (state.said, state.pending, state.every) == ((), (), 12)


def test_a_save_stands_for_what_was_said() -> None:
    """The session kept the correction in its own turn: it is asked neither early nor for that turn again."""
    state = State(every=6, asked=1)
    state, _ = step(state, Moment("stop", "t1", sign="correction", saved=True))
    for n in range(2, 12):
        state, decision = step(state, Moment("stop", f"t{n}", level=0))
        assert not decision.block

    assert decision.why == "skipped: nothing that could matter"


def test_the_mark_moves_past_what_a_page_showed() -> None:
    """A turn that the brief did not quote waits for the next one, unless a page of the journal showed it."""
    state = State()
    for n in "123":
        state, _ = step(state, Moment("stop", n))
    state, _ = step(state, Moment("delivered", "3", turns=("1",)))

    unread, _ = step(state, Moment("answered"))
    read, _ = step(step(state, Moment("paged", turns=("2", "9")))[0], Moment("answered"))

    assert (unread.pending, read.pending) == (("2", "3"), ("3",))
    assert step(State(pending=("1",)), Moment("paged", turns=("1",)))[0].pending == ("1",)


def test_compaction_and_end_lose_nothing() -> None:
    """What could matter is asked for two turns after a compaction, and waits when the session ends."""
    state, _ = step(State(every=12, asked=1), Moment("stop", "1"))
    compacted, _ = step(state, Moment("compact"))
    ended, _ = step(state, Moment("end"))
    idle, _ = step(step(State(), Moment("stop", "1", level=1))[0], Moment("end"))

    assert step(compacted, Moment("stop", "2", level=0))[1].block
    assert ended.waiting and ended.pending == ("1",)
    assert not idle.waiting


def test_a_save_brings_the_pause_back() -> None:
    """A pass in which something was kept sets the pause to N."""
    model = Model(3)
    world = turns(model, World(State()), 8)
    world = model.ends(model.prompt(world))
    assert world.blocks == (3, 9) and world.held

    world = turns(model, model.ends(model.save(world)), 3)

    assert world.blocks == (3, 9, 12)


def test_a_session_that_saved_is_left_alone() -> None:
    """A save between two briefs stands for one; its turns wait for the next."""
    model = Model(3)
    world = turns(model, model.save(turns(model, World(State()), 1)), 2)
    assert world.blocks == () and len(world.state.pending) == 3

    world = turns(model, world, 3)

    assert world.blocks == (6,)


def test_interrupted_pass_moves_no_mark() -> None:
    """The turns of a brief that nobody answered are in the next one."""
    model = Model(2)
    world = model.ends(model.prompt(turns(model, World(State()), 1)))
    assert world.held

    world = turns(model, model.interrupt(world), 1)

    assert world.state.pending == ("1", "2", "3")


@pytest.mark.parametrize(("mode", "waits"), [("wait", True), ("off", False)])
def test_nobody_attending_is_not_held(mode: str, waits: bool) -> None:
    """Where nobody attends the turns wait, or are let be, as the config says."""
    state = State()

    for turn in "12345":
        state, decision = step(state, Moment("stop", turn, mode=mode))
        assert (decision.counts, decision.block) == (True, False)

    assert state.waiting is waits
    assert state.pending == tuple("12345")


def test_waiting_turns_are_held_at_the_first_attended_stop() -> None:
    """A session that waited and is resumed by a person is asked at once."""
    state = State()
    for turn in "1234":
        state, _ = step(state, Moment("stop", turn, mode="wait"))

    state, decision = step(state, Moment("stop", "5"))

    assert decision.block and not state.waiting


def test_released_turns_wait_no_longer() -> None:
    """Turns that another session was shown are past the mark; when none is left, nothing waits."""
    state = State(pending=("1", "2"), waiting=True)

    assert release(state, ["1"]) == State(pending=("2",), waiting=True)
    assert release(state, ["1", "2"]) == State()


def test_again_flag_alone_never_holds() -> None:
    """Fifty stops that a stop hook already held, with the counter past N, hold nothing."""
    state = State(since=40, pending=("0",))

    for n in range(50):
        state, decision = step(state, Moment("stop", f"t{n}", again=True))
        assert not decision.block


def test_state_survives_its_record() -> None:
    """What is kept as JSON loads as the same state; a damaged record loads as far as it is of its form."""
    state = State(6, 2, ("a",), ("a", "b"), "b", ("a",), True, True, True, ("a",), (), ("a",), 21, 20)

    assert State.load(json.loads(json.dumps(state.keep()))) == state
    assert State.load({"every": "x", "pending": 3, "since": 2, "foreign": 1}) == State(since=2)


def a_turn(n: int, words: int = 20) -> Turn:
    said = " ".join(f"w{n}-{i}" for i in range(words))
    return Turn(f"t{n}", "2026-11-30T10:00:00+00:00", "kimi-code", "s", f"user {said}", f"reply {said}", "p")


def make(turns: list[Turn], nearest: list[dict[str, str]] | None = None) -> tuple[str, tuple[str, ...]]:
    return brief(
        turns,
        nearest or [],
        home=Path("~/.memory-skill"),
        command="memory-skill",
        scope="project:p",
        session="s",
    )


def test_brief_names_turns_tree_and_command() -> None:
    """The brief holds the turns, the nearest notes, where the tree is and how to save."""
    near = {"address": "knowledge/user/tabs.md", "description": "Ada indents with tabs"}

    text, shown = make([a_turn(1), a_turn(2)], [near])

    assert shown == ("t1", "t2")
    for part in ("w1-0", "w2-19", "knowledge/user/tabs.md", "~/.memory-skill", "memory-skill save"):
        assert part in text


def test_brief_quotes_whole_turns_and_names_the_command_for_the_rest() -> None:
    """Over 4,000 characters the newest turns give way, and the command goes on after the last quoted one."""
    text, shown = make([a_turn(n, 60) for n in range(12)])

    assert len(text) <= BRIEF_CHARS
    assert 1 < len(shown) < 12 and shown[0] == "t0"
    assert [f"t{n}" for n in range(12) if f"w{n}-59" in text] == list(shown)
    assert f"{12 - len(shown)} more turns are not quoted" in text
    assert f"memory-skill journal show --since {shown[-1]} --session s`" in text


def test_a_turn_longer_than_a_brief_is_quoted_by_its_ends() -> None:
    """The command in the brief goes on after the turn before it, and so shows it whole."""
    long = a_turn(1, 3000)
    text, shown = brief(
        [long, a_turn(2)], [], home=Path("~/m"), command="memory-skill", scope="global", before="t 0"
    )

    assert len(text) <= BRIEF_CHARS and shown == ("t1",)
    assert "w1-0" in text and "w1-2999" in text and "w1-1500" not in text
    assert "2 more turns are" in text and "journal show --since 't 0'`" in text


def test_brief_asks_for_a_summary_and_says_what_it_costs() -> None:
    """The number of turns, the command that keeps the summary, and the tokens of the text itself."""
    text, _ = brief([a_turn(1)], [], home=Path("~/m"), command="memory-skill", scope="global", summary=25)

    assert "session of 25 turns" in text and '`memory-skill save "TEXT" --type summary`' in text
    price = int(text.rpartition("about ")[2].split()[0])
    assert abs(price - estimate_tokens(text)) <= 10


def test_no_turn_makes_no_brief() -> None:
    """Without a turn there is nothing to ask."""
    assert make([]) == ("", ())
