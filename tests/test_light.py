"""The stand-ins of the prompt hook behave as what they stand in for."""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
from functools import cached_property
from typing import NamedTuple as Original

import pytest

from memory_skill.light import NamedTuple, pattern, sha256


class Ours(NamedTuple):
    """Two fields, one with a default, and a method."""

    name: str
    size: int = 3

    @property
    def told(self) -> str:
        return f"{self.name} {self.size}"


class Wider(Ours):
    """The same fields, and room for what is worked out once."""

    @cached_property
    def twice(self) -> int:
        return 2 * self.size


class Theirs(Original):
    name: str
    size: int = 3


def test_light_named_tuple_is_made_read_and_changed_as_that_of_typing() -> None:
    """By place and by name, with defaults; a tuple in all respects."""
    one = Ours("a", size=4)

    assert one == ("a", 4) == Theirs("a", 4)
    assert (one.name, one.size, one.told) == ("a", 4, "a 4")
    assert Ours("a").size == 3
    assert one._replace(name="b") == Theirs("a", 4)._replace(name="b")
    assert one._asdict() == Theirs("a", 4)._asdict()
    assert Ours._make(["c", 5]) == ("c", 5)
    assert Ours._fields == Theirs._fields
    assert repr(one).partition("(")[2] == repr(Theirs("a", 4)).partition("(")[2]
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == one
    assert not hasattr(one, "__dict__")
    assert Wider("d", 4)._replace(size=6).twice == 12
    match one:
        case Ours(name, size):
            assert (name, size) == ("a", 4)


@pytest.mark.parametrize("kind", [Ours, Theirs])
@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((), {}),
        (("a", 1, 2), {}),
        (("a",), {"name": "b"}),
        (("a",), {"colour": 1}),
        ((), {"size": 1, "x": 2}),
    ],
)
def test_light_named_tuple_refuses_what_that_of_typing_refuses(
    kind: type, given: tuple[object, ...], named: dict[str, object]
) -> None:
    """Missing, surplus, doubled and unknown values are a TypeError."""
    with pytest.raises(TypeError):
        kind(*given, **named)


def test_light_hash_is_the_hash_of_hashlib() -> None:
    """Digests in an old tree stay what they are."""
    assert sha256(b"note").hexdigest() == hashlib.sha256(b"note").hexdigest()


def test_light_pattern_is_compiled_at_its_first_use() -> None:
    """A wrong one raises then, and a right one answers as `re.compile` does."""
    with pytest.raises(re.error):
        pattern("(").search("")

    numbers = pattern(r"N(\d)", re.IGNORECASE)
    assert numbers.sub(r"\1", "n1 N2") == "1 2"
    assert (numbers.flags, numbers.groups) == (re.compile(r"N(\d)", re.IGNORECASE).flags, 1)
