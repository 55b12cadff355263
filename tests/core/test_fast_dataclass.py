"""Dataclasses that are made faster are those of the standard library in all that can be seen."""

import copy
import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, field
from typing import Any

import pytest

from moot.core import fast_dataclass

Decorator = Callable[..., Any]


def plain(dataclass: Decorator) -> type[Any]:
    """A class with every kind of field."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Plain:
        """One."""

        name: str
        number: int = 3
        none: float | None = None
        items: list[int] = field(default_factory=list[int])

        @property
        def twice(self) -> int:
            """Reads a field."""
            return 2 * self.number

    return Plain


def mixed(dataclass: Decorator) -> type[Any]:
    """A class with fields by place and by name, and a check."""

    @dataclass(frozen=True, slots=True)
    class Mixed:
        """Another."""

        first: int
        second: str = "b"
        _: KW_ONLY
        third: tuple[int, ...] = ()

        def __post_init__(self) -> None:
            if self.first < 0:
                raise ValueError(f"{self.first} is below 0")

    return Mixed


def alone(dataclass: Decorator) -> type[Any]:
    """A class that is equal only to itself, with one field."""

    @dataclass(frozen=True, slots=True, eq=False)
    class Alone:
        """A third."""

        only: int

    return Alone


def empty(dataclass: Decorator) -> type[Any]:
    """A class without a field."""

    @dataclass(frozen=True, slots=True)
    class Empty:
        """A fourth."""

    return Empty


MAKERS = (plain, mixed, alone, empty)
VALUES: dict[str, list[dict[str, Any]]] = {
    "plain": [{"name": "a"}, {"name": "a", "number": 4}, {"name": "b", "items": [1]}],
    "mixed": [{"first": 1}, {"first": 1, "second": "c"}, {"first": 2, "third": (1, 2)}],
    "alone": [{"only": 1}, {"only": 1}],
    "empty": [{}, {}],
}


def both(make: Callable[[Decorator], type[Any]]) -> tuple[type[Any], type[Any]]:
    return make(dataclasses.dataclass), make(fast_dataclass.dataclass)


@pytest.mark.parametrize("make", MAKERS)
def test_a_class_looks_as_one_of_the_standard_library(make: Callable[[Decorator], type[Any]]) -> None:
    usual, quick = both(make)
    assert quick.__init__.__code__ is not usual.__init__.__code__
    assert str(inspect.signature(quick)) == str(inspect.signature(usual))
    assert [item.name for item in dataclasses.fields(quick)] == [item.name for item in dataclasses.fields(usual)]
    for name in ("__slots__", "__match_args__", "__doc__", "__qualname__", "__module__", "__hash__"):
        ours, theirs = getattr(quick, name), getattr(usual, name)
        assert (ours is None) == (theirs is None) if name == "__hash__" else ours == theirs
    for name in ("init", "repr", "eq", "frozen"):
        assert getattr(quick.__dataclass_params__, name) == getattr(usual.__dataclass_params__, name)
    assert set(usual.__dict__) - set(quick.__dict__) <= {"__static_attributes__", "__firstlineno__"}


@pytest.mark.parametrize("make", MAKERS)
def test_its_objects_are_equal_shown_and_hashed_alike(make: Callable[[Decorator], type[Any]]) -> None:
    usual, quick = both(make)
    for values in VALUES[make.__name__]:
        ours, theirs = quick(**values), usual(**values)
        assert repr(ours) == repr(theirs)
        assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
        assert ours != theirs
        assert dataclasses.replace(ours) == ours or make is alone
        for other in VALUES[make.__name__]:
            assert (ours == quick(**other)) == (theirs == usual(**other))
        if make in (mixed, empty):
            assert hash(ours) == hash(theirs)
        assert ours.__getstate__() == theirs.__getstate__()
        assert repr(copy.copy(ours)) == repr(copy.deepcopy(ours)) == repr(theirs)


@pytest.mark.parametrize("dataclass", [dataclasses.dataclass, fast_dataclass.dataclass])
def test_an_object_cannot_be_changed_and_its_check_is_run(dataclass: Decorator) -> None:
    Mixed = mixed(dataclass)
    item = Mixed(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
        item.first = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'second'"):
        del item.second
    with pytest.raises(ValueError, match="below 0"):
        dataclasses.replace(item, first=-1)
    with pytest.raises(TypeError):
        Mixed(1, "b", (3,))
    first, again = plain(dataclass)(name="a"), plain(dataclass)(name="a")
    assert first.items is not again.items
    assert first.twice == 6


def test_a_class_of_another_kind_may_stand_on_it() -> None:
    Below: Any = type("Below", (mixed(fast_dataclass.dataclass),), {})
    item = Below(1)
    item.more = 3
    assert item.more == 3
    del item.more
    with pytest.raises(FrozenInstanceError):
        item.first = 3
    with pytest.raises(FrozenInstanceError):
        del item.first


def test_an_object_that_holds_itself_is_shown() -> None:
    item = plain(fast_dataclass.dataclass)(name="a")
    item.items.append(item)
    assert "items=[...]" in repr(item)


def test_what_is_unusual_is_left_to_the_standard_library() -> None:  # house: long because of its classes
    @fast_dataclass.dataclass(frozen=True, slots=True)
    class Hidden:
        """A field that is not shown."""

        shown: int
        secret: str = field(default="x", repr=False)

    @fast_dataclass.dataclass
    class Open:
        """One that can be changed."""

        item: int = 1

    @fast_dataclass.dataclass(frozen=True, slots=True)
    class Own:
        """One with a method of its own."""

        item: int = 1

        def __repr__(self) -> str:
            return "own"

    @fast_dataclass.dataclass(frozen=True, slots=True)
    class Base:
        """A base."""

        item: int = 1

    @fast_dataclass.dataclass(frozen=True, slots=True)
    class Heir(Base):
        """One that stands on another."""

        more: int = 2

    @fast_dataclass.dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        """One with an order."""

        item: int = 1

    @fast_dataclass.dataclass(frozen=True, slots=True)
    class Given:
        """One that is given what it does not keep."""

        start: InitVar[int]
        item: int = 1

        def __post_init__(self, start: int) -> None:
            object.__setattr__(self, "item", start + 1)

    changed = Open()
    changed.item = 2
    assert changed == Open(2)
    assert repr(Hidden(1)).endswith("Hidden(shown=1)")
    assert repr(Own()) == "own"
    assert (Heir(3).item, Heir(3).more, Heir(3) == Heir(3, 2)) == (3, 2, True)
    assert Ordered(1) < Ordered(2)
    assert Given(4).item == 5
