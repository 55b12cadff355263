"""The public ``Brief`` and ``Participant``, and the one check of what a Python program passes.

Core reads no files, and its values are stored as they are. What a program says beside them stands here: the file that a
brief was loaded from, and a function that answers for a participant. ``plain`` makes values of core again.

``fit`` checks a value by the type hints of the dataclass that it is for: lists become tuples, dictionaries dataclasses.
Anything else that does not fit is one sentence, which names the place. ``app.plan.checks`` has the bounds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Literal, Self, TypeVar, cast, get_args, get_origin, get_type_hints

from folkmoot.app.brief.reader import ParsedBrief, read_file
from folkmoot.core import brief as core
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clip, flat, unknown_word

T = TypeVar("T")

SHOWN = 60
"""The most characters of a wrong value that an error repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant(core.Participant):
    """A participant of a debate, as data.

    Attributes:
        name: unique among the participants.
        role: its position or stance in a few words ("Cautious risk analyst").
        persona: instructions for this participant alone.
        model: who answers: ``provider:name``, ``human``, a function ``str -> str`` (async or plain), a PydanticAI
            ``Agent`` or a LangChain chat model; None for the model of the run.
        seat: ``model`` as it is stored: a text such as ``openai:gpt-4o-mini``.
        duty: ``debater``, ``moderator``, or ``juror``, who only votes.
        weight: the weight of its vote, finite and from 0; None if none was given.
        priority: where speaking order goes by priority, a higher number speaks earlier.
        language: the language it speaks ("German"); "" for the language of the topic.
        view: narrows the view of each of its asks; None leaves them unchanged.
        hide: turns that it must never see: a participant's name, an act, ``round 2``, ``Ada round 2`` or
            ``critique round 2``.
        settings: the settings of its model.
        tools: names of the tools it may use.
        search: how it searches for its next argument; None for no search.
        deadline: the seconds that a person has for an answer; None for no deadline.
        stand_in: the model that answers for a person after the deadline; "" for none: the turn is then missing.
        fallback: the models to use, in this order, while the participant's own cannot be reached.
        schemas: when its provider is sent a form as a JSON Schema: ``first``, ``repair`` or ``off``; "" for the
            brief's.
    """

    model: object = field(default=None, repr=False)

    def __new__(cls, *args: object, **words: object) -> Self:
        """See ``_new``."""
        return _new(cls, words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief(core.Brief):
    """What is to be debated.

    Attributes:
        topic: the question or proposition, one paragraph.
        background: the documents that all participants are given.
        library: the documents that only the tool ``rag`` searches; no prompt contains them.
        rules: instructions for all participants.
        participants: all participants, in order of speaking.
        options: the closed set of answers, if there is one ("yes", "no").
        limits: what the debate may use.
        seed: the random seed.
        schemas: when providers are sent a form as a JSON Schema, where the participant does not say: ``first``,
            ``repair`` or ``off``; "" for the setting of this machine.
        file: what the file says beside that, such as the protocol, where it was loaded from one; else None.
    """

    file: ParsedBrief | None = field(default=None, repr=False, compare=False)

    def __new__(cls, *args: object, **words: object) -> Self:
        """See ``_new``."""
        return _new(cls, words)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """The brief in a file, with the protocol and all other settings of the file.

        Raises:
            BriefError: the file cannot be read, or has a mistake; it names the line.
        """
        if not isinstance(path, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BriefError(f"path is {shown(path)}; it must be the path of a file", code="wrong_type")
        parsed = read_file(Path(path))
        return cls(**_values(parsed.brief, core.Brief), file=parsed)  # pyright: ignore[reportArgumentType]


def _new(cls: type[T], words: Iterable[str]) -> T:
    """A new value that takes these words.

    Raises:
        TypeError: it has no such field, as Python says it of every class; in one sentence that says where it belongs.
    """
    known = [one.name for one in fields(cast("type[core.Brief]", cls))]
    for word in words:
        if word not in known:
            elsewhere = cls is Brief and word in _OF_A_RUN
            hint = f"give it to folkmoot.run: folkmoot.run(brief, {word}=…)" if elsewhere else unknown_word(word, known)
            raise TypeError(f"folkmoot.{cls.__name__} has no argument {word[:SHOWN]!r}; {hint}")
    return object.__new__(cls)


_OF_A_RUN = frozenset({"protocol", "strategy", "rounds", "model", "store", "on_event"})

_PUBLIC: Mapping[type, type] = {core.Participant: Participant, core.Brief: Brief}
"""The public classes of those values that have one of their own."""


def plain(brief: core.Brief) -> tuple[core.Brief, Mapping[str, object]]:
    """A checked brief with plain values only, and the agents of the program by participant.

    Raises:
        BriefError: a value of a type that does not fit.
    """
    brief = fit(brief, core.Brief, "brief")
    agents: dict[str, object] = {}
    people: list[core.Participant] = []
    for one in brief.participants:
        person, agent = plain_participant(one)
        people.append(person)
        if agent is not None:
            agents[person.name] = agent
    if type(brief) is core.Brief and all(
        participant is other for participant, other in zip(people, brief.participants, strict=True)
    ):
        return brief, agents
    values = _values(brief, core.Brief) | {"participants": tuple(people)}
    return core.Brief(**values), agents  # pyright: ignore[reportArgumentType]


def plain_participant(participant: core.Participant) -> tuple[core.Participant, object]:
    """A participant with plain values, and its agent in the program; None if it has none.

    Raises:
        BriefError: both a model and a seat, or a text that names none.
    """
    if not isinstance(participant, Participant):
        return participant, None
    values = _values(participant, core.Participant)
    if participant.model is not None and participant.seat:
        problem = f"{participant.name} has both a model and a seat; leave out one of the two"
        raise BriefError(problem, code="inconsistent")
    if isinstance(participant.model, str):
        values["seat"] = participant.model
    agent = None if isinstance(participant.model, str) else participant.model
    return core.Participant(**values), agent  # pyright: ignore[reportArgumentType]


def _values(value: object, kind: type) -> dict[str, object]:
    """The fields that a class has, by name."""
    return {attribute.name: cast("object", getattr(value, attribute.name)) for attribute in fields(kind)}


# ---- the check -----------------------------------------------------------------------------------------------------


def fit(value: object, kind: type[T], name: str) -> T:
    """A value as a type asks for it.

    Args:
        value: what a program passed.
        kind: a dataclass, or any type that may stand in one.
        name: what the value is called in an error.

    Raises:
        BriefError: it cannot be that.
    """
    return cast("T", _fit(value, kind, name))


def shown(value: object) -> str:
    """A wrong value, as short as an error needs it."""
    return clip(flat(repr(value)), SHOWN)


@cache
def _hints(kind: type) -> Mapping[str, object]:
    return get_type_hints(kind)


@cache
def _defaults(kind: type) -> Mapping[str, object]:
    """The default of each field of a dataclass, which fits; MISSING where there is none."""
    return {attribute.name: attribute.default for attribute in fields(kind)}


def _fit(value: object, wanted: object, name: str) -> object:
    arguments, origin = get_args(wanted), get_origin(wanted)
    if NoneType in arguments:
        rest = next(argument for argument in arguments if argument is not NoneType)
        return None if value is None else _fit(value, rest, name)
    if origin is Literal:
        return _fit_word(value, arguments, name)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise BriefError(f"{name} is {shown(value)}; it must be a list", code="wrong_type")
        return tuple(_fit(item, arguments[0], f"{name}[{n}]") for n, item in enumerate(cast("Sequence[object]", value)))
    if isinstance(wanted, type) and is_dataclass(wanted):
        return _fit_fields(value, wanted, name)
    return _fit_plain(value, cast("object", wanted), name)


def _fit_word(value: object, words: Sequence[object], name: str) -> object:
    if value in words:
        return value
    names = [str(word) for word in words if word != ""]
    if not isinstance(value, str):
        raise BriefError(f"{name} is {shown(value)}; it must be one of {', '.join(names)}", code="wrong_type")
    raise BriefError(f"{name} is {shown(value)}; {unknown_word(value, names)}", code="bad_enum")


_WORDS: Mapping[object, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "True or False"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
}
"""What a value may be for each plain type, and the type in words."""


def _fit_plain(value: object, wanted: object, name: str) -> object:
    kinds, words = _WORDS.get(wanted, ((object,), ""))
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds and object not in kinds):
        raise BriefError(f"{name} is {shown(value)}; it must be {words}", code="wrong_type")
    return value


def _fit_fields(value: object, wanted: type, name: str) -> object:
    """A dataclass with fields that fit; a dictionary becomes one."""
    if isinstance(value, Mapping):
        return _dataclass_of(cast("Mapping[str, object]", value), wanted, name)
    if not isinstance(value, wanted):
        words = f"a folkmoot.{wanted.__name__} or a dictionary"
        raise BriefError(f"{name} is {shown(value)}; it must be {words}", code="wrong_type")
    changed: dict[str, object] = {}
    defaults = _defaults(wanted)
    for key, hint in _hints(wanted).items():
        before = cast("object", getattr(value, key))
        if before is defaults.get(key, MISSING):
            continue
        after = _fit(before, hint, f"{name}.{key}")
        if type(after) is not type(before) or after != before:
            changed[key] = after
    same = cast("core.Brief", value)  # any dataclass will do for ``replace``
    return replace(same, **changed) if changed else same  # pyright: ignore[reportArgumentType]


def _dataclass_of(values: Mapping[str, object], wanted: type, name: str) -> object:
    """A dataclass of the values in a dictionary."""
    public = _PUBLIC.get(wanted, wanted)
    allowed = [allowed_field.name for allowed_field in fields(public)]
    for key in values:
        if key not in allowed:
            problem = f"{name} has no {clip(flat(str(key)), SHOWN)!r}; {unknown_word(str(key), allowed)}"
            raise BriefError(problem, code="unknown_key")
    for attribute in fields(public):
        if attribute.name not in values and attribute.default is MISSING and attribute.default_factory is MISSING:
            raise BriefError(f"{name} needs a {attribute.name}", code="missing_key")
    hints = _hints(wanted)
    return public(**{key: _fit(value, hints.get(key, object), f"{name}.{key}") for key, value in values.items()})
