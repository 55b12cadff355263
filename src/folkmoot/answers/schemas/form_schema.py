"""A form as a JSON Schema, for providers that hold a model to one. What comes back is read as strictly as ever.

Only short forms that judge have one: reasons come before the verdict in it, and long words stay text.
"""

import json
from collections.abc import Mapping

from folkmoot.core.ask import ABSTAIN, Ask, Field, Form

SHORT = frozenset({"vote", "verdict", "score", "gauge", "bid", "consent", "reconsider", "refute", "respond"})
"""The acts whose forms are asked for as a schema."""

LAYOUTS = ("line", "sections", "json")
"""The layouts that can also be read from one JSON object."""

AS_JSON = "Write the answer as one JSON object, with the labels above as its names, and nothing around it."

_ORDER = ("text", "list", "number", "flag", "choice")


def schema_of(ask: Ask) -> str:
    """The schema of an ask's form, as text; "" where it has none."""
    form = ask.form
    if form is None or ask.act not in SHORT or form.layout not in LAYOUTS:
        return form.schema if form else ""
    return form.schema or json.dumps(_form(form), ensure_ascii=False)


def _form(form: Form) -> dict[str, object]:
    fields = sorted(form.fields, key=lambda field: _ORDER.index(field.kind))
    inner = _object({field.name: _nullable_if_optional(field, _field(field)) for field in fields})
    return _object({form.under: inner}) if form.under else inner


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _field(field: Field) -> dict[str, object]:
    match field.kind:
        case "choice":
            return {"type": "string", "enum": [*field.choices, *([ABSTAIN] if field.abstain else [])]}
        case "number":
            ends = {"minimum": field.low, "maximum": field.high}
            return {"type": "number", **{name: value for name, value in ends.items() if value is not None}}
        case "flag":
            return {"type": "boolean"}
        case "list":
            return {
                "type": "array",
                "items": {"type": "string", **({"enum": [*field.choices]} if field.choices else {})},
            }
        case _:
            return {"type": "string"}


def _nullable_if_optional(field: Field, schema: dict[str, object]) -> dict[str, object]:
    return schema if field.required else {"anyOf": [schema, {"type": "null"}]}
