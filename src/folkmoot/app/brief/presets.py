"""Presets: named sets of settings in ``folkmoot.toml`` that a brief takes: models, protocol, limits, and who may use them.

A preset fills in what neither the command nor the brief says. It has no address, no key and no program, so the
``folkmoot.toml`` of a project may have presets too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, cast

from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, get_key
from folkmoot.app.brief.values import check_value
from folkmoot.core.ask import Value
from folkmoot.core.brief import SCHEMAS, Schemas
from folkmoot.core.errors import BriefError
from folkmoot.core.families import families_of, family
from folkmoot.core.named_tables import LOWER_CASE, named_tables
from folkmoot.core.text import unknown_word

KEY = "preset"
"""The key of a brief that names a preset."""


PROTOCOL_KEYS = (
    "protocol",
    "rounds",
    "strategy",
    "vote_weights",
    "topology",
    "turn_mode",
    "debate_end_condition",
    "threshold",
    "samples",
    "merge",
    "unseeing",
)
"""The keys of a brief's header that a preset may have. They belong to its protocol."""

LIMIT_KEYS = tuple(key.name.removeprefix("limits.") for key in LIMITS)

PARTICIPANTS = ("builtin", "generated")
"""Who takes part where the brief describes nobody: the built-in participants, or some that a model generates."""

ANSWERS = ("text", "memo", "acting")
"""What a model name answers: the decision's words alone, or also its strength, dissent and other answers, or what one
model makes of them, which may use the tools of the caller."""

LEAVING = ("continue", "stop")
"""What a debate does when the client of a model name has gone."""

PROGRESS = ("words", "none")
"""What a stream says while the debate runs: who has answered, or nothing."""

SECONDS = 900.0
MOST_SECONDS = 86_400.0

OWN_KEYS = ("models", "schemas", "participants", "who", "seconds", "answer", "acting", "small", "on_leave", "progress")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named set of settings.

    Attributes:
        name: what it is called.
        models: who answers, in turn; with more than three a brief without participants has as many debaters.
        settings: the protocol and its settings, by the keys of a brief's header.
        limits: the limits, by the keys of a brief: ``limits.cost``.
        built_in: whether built-in participants take part where the brief describes none, or a model generates them;
            None where it does not say.
        who: the tokens whose holders may use it; None for all.
        seconds: how long a request to its model name is held open.
        memo: whether its model name also answers strength, dissent and other answers.
        acts: whether one model writes the final answer for the caller, whose tools it may use.
        acting: the model that does so, and that puts a decision into a shape; "" for the first of its models.
        small: the model that answers titles and tags; "" where these are refused.
        stops: whether the debate stops when the client of its model name has gone.
        silent: whether a stream does not say who has answered.
        schemas: when the providers are sent a form as a JSON Schema; "" for the owner's setting.
        where: the file that it stands in.
    """

    name: str
    models: tuple[str, ...] = ()
    settings: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType(dict[str, Value]()))
    limits: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType(dict[str, Value]()))
    built_in: bool | None = None
    who: tuple[str, ...] | None = None
    seconds: float = SECONDS
    memo: bool = False
    acts: bool = False
    acting: str = ""
    small: str = ""
    stops: bool = False
    silent: bool = False
    schemas: Schemas | Literal[""] = ""
    where: str = ""

    def admits(self, owner: str) -> bool:
        """Whether the holder of a token may use it; "" is the person at the machine."""
        return not owner or self.who is None or owner in self.who

    def warnings(self) -> Iterator[str]:
        """What its owner should know before a debate is paid: its votes are not independent."""
        families = families_of(self.models)
        if len(set(self.models)) == 1:
            yield f"{self.models[0]} answers for everybody: its answers are not independent."
        elif many := next((model for model in self.models if not family(model)), ""):
            yield f"Which models answer for {many} is not known: its mistakes may be those of the others."
        elif len(families) == 1:
            yield f"All models are of one family ({min(families)}): they are likely to make the same mistakes."
        elif double := [model for model, number in Counter(self.models).items() if number > 1]:
            yield f"{double[0]} answers more than once: its answers are not independent."


def read_presets(value: object, where: str) -> Mapping[str, Preset]:
    """The settings of ``[presets.NAME]``.

    Args:
        value: what stands there.
        where: the file, for errors.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    presets: dict[str, Preset] = {}
    for name, table in named_tables("presets", value, where, example="fast", rule=LOWER_CASE).items():
        try:
            presets[name] = _preset(name, table, where)
        except BriefError as error:
            raise BriefError(f"presets.{name}: {error.found}", where=where, code=error.code) from error
    return presets


def _preset(name: str, table: Mapping[str, object], where: str) -> Preset:
    known = (*OWN_KEYS, *PROTOCOL_KEYS, *LIMIT_KEYS)
    for key in table:
        if key not in known:
            raise BriefError(f"there is no setting {key[:60]!r}; {unknown_word(key, known)}", code="unknown_key")
    return Preset(
        name=name,
        models=_models(table.get("models", ())),
        settings={key: check_value(HEADER, key, table[key]) for key in PROTOCOL_KEYS if key in table},
        limits={
            f"limits.{key}": check_value(LIMITS, f"limits.{key}", table[key]) for key in LIMIT_KEYS if key in table
        },
        built_in=_word("participants", table["participants"], PARTICIPANTS) == PARTICIPANTS[0]
        if "participants" in table
        else None,
        who=_texts("who", table["who"]) if "who" in table else None,
        seconds=_seconds(table.get("seconds", SECONDS)),
        memo=_word("answer", table.get("answer", ANSWERS[0]), ANSWERS) == "memo",
        acts=table.get("answer") == "acting",
        acting=_model(table.get("acting", "")),
        small=_model(table.get("small", "")),
        stops=_word("on_leave", table.get("on_leave", LEAVING[0]), LEAVING) == "stop",
        silent=_word("progress", table.get("progress", PROGRESS[0]), PROGRESS) == "none",
        schemas=cast("Schemas", _word("schemas", table["schemas"], SCHEMAS) if "schemas" in table else ""),
        where=where,
    )


def _models(value: object) -> tuple[str, ...]:
    """A list of models; ``human`` is none."""
    key = get_key(PARTICIPANT, "model").name
    models = _texts("models", value) if value != () else ()
    return tuple(str(check_value(PARTICIPANT, key, model)) for model in models)


def _model(value: object) -> str:
    """One model; "" for none."""
    return "" if value == "" else _models([value])[0]


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= MOST_SECONDS:
        raise BriefError(f"seconds must be from 1 to {MOST_SECONDS:,.0f}", code="out_of_range")
    return float(value)


def _texts(key: str, value: object) -> tuple[str, ...]:
    texts = cast("list[object]", value) if isinstance(value, list) else []
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise BriefError(f'{key} must be a list of texts: ["…"]', code="wrong_type")
    return tuple(str(text) for text in texts)


def _word(key: str, value: object, words: tuple[str, ...]) -> str:
    if value not in words:
        raise BriefError(f"{key} cannot be {str(value)[:60]!r}; there are {', '.join(words)}", code="bad_enum")
    return str(value)


def find_preset(name: str, presets: Mapping[str, Preset], owner: str = "") -> Preset:
    """The preset of that name.

    Args:
        name: its name.
        presets: all that there are.
        owner: whose token asks for it; "" for the person at the machine.

    Raises:
        BriefError: there is none, or none for that token.
    """
    allowed = [preset.name for preset in presets.values() if preset.admits(owner)]
    if name not in allowed:
        hint = unknown_word(name, allowed) if allowed else "folkmoot config presets --init writes some"
        raise BriefError(f"there is no preset {name[:60]!r}; {hint}", code="bad_enum")
    return presets[name]
