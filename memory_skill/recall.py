"""Find what a query is about and render it: score, filter, abstain, fit the budget, explain. Never writes.

`search` names candidates and `score` weighs them; files that changed since are read and weighed beside them.
Without a usable index the files themselves are scanned, and the outcome says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from .config import Config
from .errors import MemorySkillError
from .light import NamedTuple
from .note import Entry, Note, scope_of, skim
from .score import MAX_WORDS, SURE, Question, Scale, Scored, newest_first, rank
from .search import FIELDS, IndexTrouble, Row, Search, Totals, older_names, pack_terms, rows_of
from .secrets import redact
from .text import fence, fold, normalise, one_line, shorten
from .tree import Tree, digest, read_met

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import fusion, results

POOL = 100  # candidates that are scored exactly; twice as many find nothing more
WALK_LIMIT = 5_000  # notes; up to here each recall looks at every file's size and mtime
MAX_CHANGED = 400  # files read because they changed; more mean that settle has not run
MAX_SCANNED = 20_000  # files searched when there is no index
WHAT = "recalled from memory"
NOT_SHOWN = "Also about this, not shown: "
SPARE = 400  # characters of room, from which what the fence escapes does not matter
MIN_TEXT = 80  # characters of the first entry, below which it is named rather than shown
LOOKED_AT = 5  # best entries among which one must be evidence enough
LEAST_SHARE = 0.15  # of the best score, below which an entry is not shown
SCAN_POOL = 300  # files analysed of those


# The prompt hook loads these, so they are no dataclasses; `results` has the same for everybody else.


class Hit(NamedTuple):
    """One entry that answers. *score* in 0..1; *age_days* None if its header has no date; *text* unfenced."""

    address: str
    name: str
    type: str
    scope: str
    score: float
    age_days: int | None
    text: str


class LeftOut(NamedTuple):
    """An entry that matched and is not shown: `superseded` (by *successor*), `expired` or `not yet valid`."""

    address: str
    why: str
    successor: str | None = None


class Recalled(NamedTuple):
    """The answer to one query. *omitted*: addresses that matched and did not fit the budget."""

    outcome: str  # hits | no_match | degraded | blocked
    reason: str | None = None
    hits: tuple[Hit, ...] = ()
    omitted: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    explain: dict[str, Any] | None = None


# --- what there is to score: from the index, or from the files


class Pool:
    """Candidate rows with the numbers that scoring needs.

    *replaced*: name or path without suffix to the newer note's path and date; *fresh*: notes already read
    from their files, by path; *trouble*: why the rows are not what they should be.
    """

    def __init__(
        self,
        rows: list[Row],
        scale: Scale,
        replaced: dict[str, tuple[str, str]],
        fresh: dict[str, Note] | None = None,
        trouble: str | None = None,
    ) -> None:
        self.rows = rows
        self.scale = scale
        self.replaced = replaced
        self.fresh = fresh or {}
        self.trouble = trouble


def _indexed(
    question: Question, scopes: Sequence[str] | None, tree: Tree, search: Search, also: Collection[str] = ()
) -> Pool:
    """Candidates from the index, with changed files read in their place; *also* these addresses.

    Raises: IndexTrouble.
    """
    changed, gone, trouble = _changes(tree, search)
    fresh = {path: note for path in changed if (note := _read(tree, path)) is not None}
    fresh_rows = [row for note in fresh.values() for row in rows_of(note)]
    terms = question.terms()
    frequency = _sum(search.frequencies(terms), _frequency(terms, fresh_rows))
    question = question.narrowed(frequency)
    scale = Scale(question, frequency, _with(search.totals(), fresh_rows))
    numbers = search.candidates(dict(scale.values), scopes, POOL)
    found = search.rows(numbers)
    if also:
        there = {row.address for row in found}
        more = search.rows_at(sorted({address.partition("#")[0] for address in also if address not in there}))
        found += [row for row in more if row.address in also and row.address not in there]
    rows = [row for row in found if row.path not in gone and row.path not in fresh]
    rows += [row for row in fresh_rows if _within(row.path, scopes)]
    replaced = {
        r.older: (r.path, r.date) for r in search.replaced() if r.path not in gone and r.path not in fresh
    }
    return Pool(rows, scale, replaced | _replaced_by(fresh.values()), fresh, trouble)


def _frequency(terms: Iterable[str], rows: Sequence[Row]) -> dict[str, int]:
    return {term: sum(f"\n{term}\t" in row.terms for row in rows) for term in terms} if rows else {}


def _sum(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {term: one.get(term, 0) + other.get(term, 0) for term in one | other}


def _with(totals: Totals, rows: Sequence[Row]) -> Totals:
    """*totals* and *rows* together."""
    length, gram_length = sum(row.length for row in rows), sum(row.gram_length for row in rows)
    return Totals(totals.entries + len(rows), totals.length + length, totals.gram_length + gram_length)


def _changes(tree: Tree, search: Search) -> tuple[list[str], set[str], str | None]:
    """Files that are not as the index knows them: changed or new, gone, and what was not looked at."""
    if search.note_count() > WALK_LIMIT:
        return [], set(), None
    known, here = search.stats(), set(tree.walk())
    changed = sorted(here - known)
    gone = {path for path, _, _ in known - here}.difference(found.path for found in changed)
    if len(changed) <= MAX_CHANGED:
        return [found.path for found in changed], gone, None
    newest = sorted(changed, key=lambda found: (-found.mtime_ns, found.path))[:MAX_CHANGED]
    trouble = f"{len(changed)} files are not in the index yet, only the {MAX_CHANGED} newest were read"
    return [found.path for found in newest], gone, trouble


def _scanned(question: Question, scopes: Sequence[str] | None, tree: Tree, trouble: str) -> Pool:
    """Candidates from the files alone: those that hold most of the words, then analysed and scored."""
    wanted = [word[:5].encode() for word in question.words][:MAX_WORDS]
    found: list[tuple[int, str, bytes]] = []
    held: list[Note] = []
    for number, stat in enumerate(tree.walk()):
        if number >= MAX_SCANNED:
            trouble += f"; only the first {MAX_SCANNED} files were searched"
            break
        data = read_met(f"{tree.home}/{stat.path}") if _within(stat.path, scopes) else None
        if data is None:
            continue
        plain = data.lower() if data.isascii() else fold(data.decode("utf-8", "replace")).encode()
        hits = sum(1 for word in wanted if word in plain)
        if hits:
            found.append((-hits, stat.path, data))
        if b"supersedes" in plain:
            held.append(skim(data, stat.path))
    fresh = {path: skim(data, path) for _, path, data in sorted(found)[:SCAN_POOL]}
    rows = [row for note in fresh.values() for row in rows_of(note)]
    scale = _scale_of(question, rows)
    return Pool(rows, scale, _replaced_by(held), fresh, trouble)


def _scale_of(question: Question, rows: Sequence[Row]) -> Scale:
    """The numbers that an index of just these *rows* would have."""
    return Scale(question, _frequency(question.terms(), rows), _with(Totals(0, 0.0, 0.0), rows))


def _replaced_by(notes: Iterable[Note]) -> dict[str, tuple[str, str]]:
    return {older: (note.path, note.date) for note in notes for older in older_names(note)}


def _within(path: str, scopes: Sequence[str] | None) -> bool:
    return scopes is None or scope_of(path) in scopes


def _bytes(tree: Tree, path: str) -> bytes:
    try:
        return tree.read(path)
    except (MemorySkillError, OSError):
        return b""


def _read(tree: Tree, path: str) -> Note | None:
    data = _bytes(tree, path)
    return skim(data, path) if data else None


# --- the verb


def recall(
    query: str,
    scope: str | Sequence[str] | None,
    *,
    tree: Tree,
    search: Search,
    config: Config,
    limit: int = 5,
    max_chars: int = 4000,
    explain: bool = False,
    today: date | None = None,
    as_of: date | None = None,
    shown: Mapping[str, str] | None = None,
    abstain: bool = True,
    near: fusion.Near | None = None,
) -> Recalled:
    """The entries that answer *query*, best first, within *max_chars* code points as `render` writes them.

    *scope*: `global`, `project:x` or `agent:x` (each with global), several of them, or `all` / None.
    *as_of*: what was known and valid on that day. *shown*: address to `digest` of the text that the reader
    already has; such entries are not repeated. *abstain* False: the nearest, however far. *near*: what is
    near by its meaning too.
    Writes nothing and raises nothing but what its arguments' types forbid.
    """
    question = Question.of(query)
    if not question.words:
        return Recalled("no_match", "nothing in the query names a subject")
    scopes = scopes_of(scope)
    try:
        with search.steady():
            pool = _indexed(question, scopes, tree, search, near.cosines if near else ())
    except IndexTrouble as trouble:
        pool = _scanned(question, scopes, tree, trouble.what)
    day = as_of or today or date.today()
    by_words = rank(pool.rows, pool.scale)
    sureness = pool.scale.sureness(by_words[:LOOKED_AT]) if explain and by_words else {}
    ranked, is_sure = _with_meaning(by_words, pool, near)
    if abstain and not is_sure:
        ranked = []
    kept, left_out = _valid(ranked, pool, tree, day, as_of is not None)
    strong = [scored for scored in kept if not abstain or scored.score >= LEAST_SHARE * kept[0].score]
    ordered = newest_first(strong, pool.scale)
    hits, omitted = _fit(_hits(ordered, pool, tree, day, shown or {}), question, config, limit, max_chars)
    what = pool.trouble or (near.trouble if near else None)
    outcome = "degraded" if what else "hits" if hits or omitted else "no_match"
    reason = what or (None if hits or omitted else "no entry is about this")
    told = _explain(pool.scale, sureness, ordered, left_out, near) if explain else None
    return Recalled(outcome, reason, hits, omitted, tuple(left_out) if hits else (), told)


def _with_meaning(by_words: list[Scored], pool: Pool, near: fusion.Near | None) -> tuple[list[Scored], bool]:
    """The ranking by words, and by meaning where there is any; whether it holds an answer at all."""
    best = by_words[:LOOKED_AT]
    if near is None or not near.cosines:
        return by_words, pool.scale.convinces(best)
    from . import fusion

    return fusion.fuse(pool.rows, by_words, near), fusion.convinces(pool.scale, best, near)


def pinned(
    scope: str | Sequence[str] | None,
    *,
    tree: Tree,
    search: Search,
    config: Config,
    max_chars: int | None = None,
    today: date | None = None,
) -> Recalled:
    """The pinned entries of *scope*, by address, within their own budget, `recall.pinned_chars`."""
    room = config.recall.pinned_chars if max_chars is None else max_chars
    nothing = Scale(Question({}), {}, Totals(0, 0.0, 0.0))
    try:
        pool = Pool(search.pinned(scopes_of(scope)), nothing, {})
    except IndexTrouble as trouble:
        notes = [note for stat in tree.walk() if (note := _read(tree, stat.path)) is not None and note.pinned]
        rows = [row for note in notes if _within(note.path, scopes_of(scope)) for row in rows_of(note)]
        pool = Pool(rows, nothing, {}, {note.path: note for note in notes}, trouble.what)
    day = today or date.today()
    kept, left_out = _valid([Scored(row, 0.0) for row in pool.rows], pool, tree, day, False)
    hits, omitted = _fit(_hits(kept, pool, tree, day, {}), Question({}), config, 100, room)
    outcome = "degraded" if pool.trouble else "hits" if hits or omitted else "no_match"
    return Recalled(outcome, pool.trouble, hits, omitted, tuple(left_out))


def scopes_of(scope: str | Sequence[str] | None) -> list[str] | None:
    given = ["all"] if scope is None else [scope] if isinstance(scope, str) else list(scope)
    if "all" in given:
        return None
    return list(dict.fromkeys(["global", *given]))


# --- time


def _valid(
    ranked: list[Scored], pool: Pool, tree: Tree, day: date, historic: bool
) -> tuple[list[Scored], list[LeftOut]]:
    """What holds on *day*, and what was left out. *historic*: later notes do not exist yet.

    What replaces a good answer is at least as good an answer, in whatever words it is written.
    """
    today = day.isoformat()
    kept: list[Scored] = []
    left_out: list[LeftOut] = []
    heirs: dict[str, float] = {}
    for scored in ranked:
        row = scored.row
        heir = _heir(row, pool, today if historic else "")
        if historic and row.date > today:
            continue
        if heir:
            left_out.append(LeftOut(row.address, "superseded", heir))
            heirs.setdefault(heir, scored.score)
        elif row.until and row.until < today:
            left_out.append(LeftOut(row.address, "expired"))
        elif row.since > today:
            left_out.append(LeftOut(row.address, "not yet valid"))
        else:
            kept.append(scored)
    there = {scored.row.path for scored in kept}
    for path in heirs.keys() - there:
        note = pool.fresh.get(path) or _read(tree, path)
        kept += [Scored(row, pool.scale.score(row)) for row in rows_of(note)] if note else []
    for scored in kept:
        gain = heirs.get(scored.row.path, 0.0) - scored.score
        if gain > 0:
            scored.boosts["replaces a better match"] = gain
            scored.score += gain
    kept.sort(key=lambda scored: (-scored.score, scored.row.address))
    return kept, left_out


def _heir(row: Row, pool: Pool, before: str) -> str | None:
    """The path of the note that replaces that of *row*, last in the line. *before*: known by that day."""
    path = row.path
    seen = {path}
    while True:
        names = (path.removesuffix(".md"), path.rsplit("/", 1)[-1].removesuffix(".md"))
        newer = next((pool.replaced[name] for name in names if name in pool.replaced), None)
        if newer is None or newer[0] in seen or (before and newer[1] > before):
            return path if path != row.path else None
        path = newer[0]
        seen.add(path)


# --- text and budget


def _hits(
    ordered: Iterable[Scored], pool: Pool, tree: Tree, day: date, shown: Mapping[str, str]
) -> Iterable[Hit]:
    """A hit for each scored row, its text read from the file as it is now; lazily, best first."""
    for scored in ordered:
        row = scored.row
        note = pool.fresh.get(row.path) or _read(tree, row.path)
        entry = _entry(note, row.address) if note else None
        if note is None or entry is None:
            continue  # gone, or rewritten, since the index was made
        text = redact(entry_text(note, entry)).text  # a hand may have written a key, and nobody settled it
        if shown.get(row.address) != digest(text.encode("utf-8", "replace")):
            score = round(min(1.0, scored.score), 4)
            age = _age(note.date, day)
            yield Hit(row.address, note.name, note.type, note.scope, score, age, text)


def _entry(note: Note, address: str) -> Entry | None:
    if note.path.startswith("skills/"):
        return Entry(note.path, "", note.description or note.name, 1)
    return next((entry for entry in note.entries if entry.address == address), None)


def entry_text(note: Note, entry: Entry) -> str:
    """The entry, after the note's description where that says more than the entry does."""
    said = one_line(note.description)
    if not said or "#" in entry.address or normalise(said).rstrip(".…") in normalise(entry.text):
        return entry.text
    return f"{said}\n\n{entry.text}"


def _age(found: str, day: date) -> int | None:
    try:
        return max(0, (day - date.fromisoformat(found)).days)
    except ValueError:
        return None


def _fit(
    hits: Iterable[Hit], question: Question, config: Config, limit: int, max_chars: int
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Whole entries until *limit* or the budget is reached; what did not fit is named instead.

    A longer one than `recall.note_chars` is shown as its best paragraphs, and so is the very first if nothing
    else of it would fit.
    """
    kept: list[Hit] = []
    omitted: list[str] = []
    room = max_chars - len(fence("", what=WHAT))  # counted by parts: to make the block for each costs most
    for hit in hits:
        if len(kept) + len(omitted) >= limit:
            break
        most = config.recall.note_chars
        if not kept:
            most = min(most, max(MIN_TEXT, room - len(_head(hit)) - len(NOT_SHOWN) - 2 * len(hit.address)))
        short = _shortened(hit, question, most)
        size = len(_told(short)) + 2
        if size <= room:
            kept.append(short)
            room -= size
        else:
            room -= len(hit.address) + 2 + (0 if omitted else len(NOT_SHOWN))
            omitted.append(hit.address)
    while kept and room < SPARE and len(render(Recalled("hits", hits=tuple(kept)), None)) > max_chars:
        omitted.append(kept.pop().address)  # what the fence had to escape made it longer
    return tuple(kept), tuple(omitted)


def _shortened(hit: Hit, question: Question, most: int) -> Hit:
    """*hit* cut to its best whole paragraphs, in order, with a notice, if it exceeds *most* characters."""
    if len(hit.text) <= most:
        return hit
    paragraphs = [part.strip("\n") for part in hit.text.split("\n\n") if part.strip()]
    notice = f"[{{}} of {len(paragraphs)} paragraphs; all of it: {hit.address}]"
    room = most - len(notice) - 4
    rows = list(map(_paragraph_row, paragraphs))
    scale = _scale_of(question, rows)
    order = sorted(range(len(paragraphs)), key=lambda i: (-scale.score(rows[i]), i))
    chosen: list[int] = []
    for i in order:
        if len(paragraphs[i]) + 2 <= room:
            chosen.append(i)
            room -= len(paragraphs[i]) + 2
    if not chosen:  # one paragraph, longer than all the room
        return _with_text(hit, f"{shorten(paragraphs[order[0]], room)}\n\n{notice.format('a part')}")
    text = "\n\n".join(paragraphs[i] for i in sorted(chosen))
    return _with_text(hit, f"{text}\n\n{notice.format(len(chosen))}")


def _paragraph_row(text: str) -> Row:
    terms, length, gram_length = pack_terms(("", "", text))
    return Row("", "", "", "", "", False, length, gram_length, terms)


def _with_text(hit: Hit, text: str) -> Hit:
    return Hit(hit.address, hit.name, hit.type, hit.scope, hit.score, hit.age_days, text)


# --- the block


def render_pinned(found: Recalled) -> str:
    """Pinned entries, unfenced and without their age: the bytes change with the tree alone."""
    return "\n\n".join(f"## {hit.address}\n{hit.text.strip()}" for hit in found.hits)


def render(recalled: Recalled | results.Recalled, max_chars: int | None = 4000) -> str:
    """The block that a model reads: each entry with its address and age, fenced; "" without entries.

    The same bytes for the same hits. At most *max_chars* code points; entries that exceed them are left off
    from the end.
    """
    hits = [_told(hit) for hit in recalled.hits]
    heirs = [
        f"{left.address} is superseded by {left.successor}." for left in recalled.left_out if left.successor
    ]
    omitted = list(recalled.omitted)
    while hits or omitted:
        unseen = [NOT_SHOWN + ", ".join(omitted)] if omitted else []
        block = fence("\n\n".join([*hits, *heirs, *unseen]), what=WHAT)
        if max_chars is None or len(block) <= max_chars:
            return block
        (heirs or omitted or hits).pop()
    return ""


def _told(hit: Hit | results.Hit) -> str:
    return f"{_head(hit)}\n{hit.text.strip()}"


def _head(hit: Hit | results.Hit) -> str:
    return f"## {hit.address} ({hit.type}, {hit.scope}, {_told_age(hit.age_days)})"


def _told_age(days: int | None) -> str:
    if days is None:
        return "undated"
    return "today" if days == 0 else "1 day old" if days == 1 else f"{days} days old"


# --- why


def _explain(
    scale: Scale,
    sureness: dict[str, float],
    ordered: list[Scored],
    left_out: list[LeftOut],
    near: fusion.Near | None = None,
) -> dict[str, Any]:
    """All that made the result, as plain values; each entry's parts and boosts add up to its score."""
    return {
        "sureness": {**sureness, "sum": sum(sureness.values()), "needed": SURE},
        "meaning": near.told if near and near.cosines else None,
        "terms": [{"term": t, "weight": w, "rarity": scale.rarity.get(t)} for t, w in scale.terms.items()],
        "hits": [
            {
                "address": scored.row.address,
                "score": scored.score,
                "parts": _parts(scale, scored.row),
                "boosts": scored.boosts,
                "evidence": scale.evidence(scored.row),
                "cosine": near.cosines.get(scored.row.address) if near else None,
                "layer": _layer(scale, scored.row, near),
            }
            for scored in ordered[:20]
        ],
        "excluded": [{"address": o.address, "why": o.why, "successor": o.successor} for o in left_out],
    }


def _layer(scale: Scale, row: Row, near: fusion.Near | None) -> str:
    """What found the entry: its words, its meaning, or both."""
    by_words = bool(scale.found(row))
    by_meaning = near is not None and row.address in near.cosines
    return "words and meaning" if by_words and by_meaning else "meaning" if by_meaning else "words"


def _parts(scale: Scale, row: Row) -> list[dict[str, Any]]:
    return [
        {"term": term, "field": name, "value": value * share / sum(shares)}
        for term, value, shares in scale.parts(row)
        for name, share in zip(FIELDS, shares, strict=True)
        if share
    ]
