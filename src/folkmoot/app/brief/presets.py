"""Presets: named sets of settings in ``folkmoot.toml`` that a brief takes: models, protocol, limits, and who may use them.

A preset fills in what neither the command nor the brief says. It has no address, no key and no program, so the
``folkmoot.toml`` of a project may have presets too.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from msgspec import Meta

from folkmoot.app.brief.tables import LOWER_CASE, Texts, named_tables, read_table
from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT
from folkmoot.app.brief.values import check_value
from folkmoot.core.ask import Value
from folkmoot.core.brief import Schemas
from folkmoot.core.errors import BriefError
from folkmoot.core.families import families_of, family
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named set of settings.

    Attributes:
        name: what it is called.
        models: who answers, in turn; with more than three a brief without participants has as many debaters.
        settings: the protocol and its settings, by the keys of a brief's header.
        limits: the limits, by the keys of a brief: ``limits.cost``.
        schemas: when the providers are sent a form as a JSON Schema; "" for the owner's setting.
        participants: whether built-in participants take part where the brief describes none, or a model generates them;
            "" where it does not say.
        who: the tokens whose holders may use it; None for all.
        seconds: how long a request to its model name is held open.
        answer: what its model name answers: the decision's words alone, or also its strength, dissent and other answers
            (``memo``), or what one model makes of them, which may use the tools of the caller (``acting``).
        acting: the model that does so, and that puts a decision into a shape; "" for the first of its models.
        small: the model that answers titles and tags; "" where these are refused.
        on_leave: what the debate does when the client of its model name has gone.
        progress: what a stream says while the debate runs: who has answered, or nothing.
        where: the file that it stands in.
    """

    name: str
    models: Texts = ()
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    limits: Mapping[str, Value] = field(default_factory=dict[str, Value])
    schemas: Schemas | Literal[""] = ""
    participants: Literal["", "builtin", "generated"] = ""
    who: Texts | None = None
    seconds: Annotated[float, Meta(ge=1, le=86_400)] = 900.0
    answer: Literal["text", "memo", "acting"] = "text"
    acting: str = ""
    small: str = ""
    on_leave: Literal["continue", "stop"] = "continue"
    progress: Literal["words", "none"] = "words"
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
    tables = named_tables("presets", value, where, example="fast", rule=LOWER_CASE)
    return {name: _preset(name, table, where) for name, table in tables.items()}


def _preset(name: str, table: Mapping[str, object], where: str) -> Preset:
    place = f"presets.{name}"
    known = (*OWN_KEYS, *PROTOCOL_KEYS, *LIMIT_KEYS)
    if unknown := [key for key in table if key not in known]:
        problem = f"{place}: there is no setting {unknown[0][:60]!r}; {unknown_word(unknown[0], known)}"
        raise BriefError(problem, where=where, code="unknown_key")
    own = {key: item for key, item in table.items() if key in OWN_KEYS}
    preset = read_table(Preset, place, own, where, name=name)
    try:
        return replace(
            preset,
            models=_models(preset.models),
            settings={key: check_value(HEADER, key, table[key]) for key in PROTOCOL_KEYS if key in table},
            limits={
                f"limits.{key}": check_value(LIMITS, f"limits.{key}", table[key]) for key in LIMIT_KEYS if key in table
            },
            acting="".join(_models(filter(None, (preset.acting,)))),
            small="".join(_models(filter(None, (preset.small,)))),
            where=where,
        )
    except BriefError as error:
        raise BriefError(f"{place}: {error.found}", where=where, code=error.code) from error


def _models(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(check_value(PARTICIPANT, "model", name)) for name in names)


OWN_KEYS = tuple(name for name in Preset.__annotations__ if name not in ("name", "where", "settings", "limits"))
"""The settings of a preset beside those of a brief."""


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
