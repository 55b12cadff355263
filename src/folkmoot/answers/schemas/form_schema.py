"""A form as one JSON object: as a JSON Schema, for providers that hold a model to one, and as a prompt shows it.

Reasons come before the verdict. What comes back is read as strictly as ever: a provider may ignore a schema.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from folkmoot.answers.values import allowed_values
from folkmoot.core.ask import ABSTAIN, Field, Form

REASON = "REASON"
"""What the object calls the words that stand before a formula. It's no field of the form: it's what the voter says."""

LONGEST = 2000
"""Characters of a text, so that a model that doesn't come to an end is ended. llama.cpp takes no larger number."""

SHORT, ITEMS = 400, 20
"""Characters of a position, and of an entry of a list without choices; the number of those entries."""

_KINDS = ("text", "list", "number", "flag", "choice")


def json_form(form: Form, names: Collection[str] | None = None, required: Collection[str] = ()) -> Form:
    """The form laid out as one JSON object, with a reason first and the verdict last.

    Of its fields all, or those ``names``. Those in ``required`` are so, too, and what a required field needs beside it,
    whatever its value.
    """
    needed = {field.needs for field in form.fields if field.when}
    musts = {*required, *(field.needs for field in form.fields if field.required and not field.when)}

    def rank(field: Field) -> int:
        position = field.kind == "text" and field.abstain
        return len(_KINDS) if field.name in needed else _KINDS.index("choice" if position else field.kind)

    fields = [replace(field, required=field.required or field.name in musts) for field in sorted(form.fields, key=rank)]
    if form.layout == "line" and all(field.kind != "text" for field in fields):
        fields = [Field(name=REASON, help="your reasons in a few sentences"), *fields]
    chosen = tuple(field for field in fields if names is None or field.name in names)
    return replace(form, layout="json", envelope="", fields=chosen)


def schema_of(form: Form, longest: int = LONGEST) -> str:
    """The schema of a form's one object, as text; ``longest``: the most characters of a text in it."""
    if form.schema:
        return form.schema
    schema = _object({field.name: _field(field, longest) for field in form.record or form.fields})
    if form.record:
        schema = {"type": "array", "items": schema, "minItems": int(form.most == 1), "maxItems": form.most}
    name = form.fields[0].name if form.record else form.under
    return json.dumps(_object({name: schema}) if name else schema, ensure_ascii=False)


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _field(field: Field, longest: int) -> Mapping[str, object]:
    choice: dict[str, object] = {"type": "string", "maxLength": SHORT}
    if field.choices:
        choice = {"type": "string", "enum": _choices(field)}
    match field.kind:
        case "choice":
            schema = choice
        case "number":
            ends = {"minimum": field.low, "maximum": field.high}
            # On a long scale numbers are whole: servers that ignore the ends of a scale keep to them then.
            kind = "integer" if (field.high or 0) - (field.low or 0) >= 5 else "number"
            schema = {"type": kind, **{name: value for name, value in ends.items() if value is not None}}
        case "flag":
            schema = {"type": "boolean"}
        case "list":
            schema = {"type": "array", "items": choice, "maxItems": len(field.choices) or ITEMS}
        case _:
            schema = {"type": "string", "maxLength": min(longest, SHORT) if field.abstain else longest}
    return schema if field.required else {"anyOf": [schema, {"type": "null"}]}


def _choices(field: Field) -> list[str]:
    return [*field.choices, *([ABSTAIN] if field.abstain else [])]


def shown_object(form: Form) -> str:
    """The object as a prompt shows it: all that may stand in each place, so that a copy of it is no answer."""
    rows = ", ".join(f"{_quoted(field.name)}: {_place(field)}" for field in form.record or form.fields)
    if form.record:
        return f"{{{_quoted(form.fields[0].name)}: [{{{rows}}}{', …' if form.most > 1 else ''}]}}"
    return f"{{{_quoted(form.under)}: {{{rows}}}}}" if form.under else f"{{{rows}}}"


def _place(field: Field) -> str:
    either = " or ".join(map(_quoted, _choices(field))) or '"[…]"'
    if field.kind == "text":
        slot = f'"[{field.help or "your text"}]"'
    else:
        slot = {"choice": either, "list": f"[{either}, …]"}.get(field.kind, allowed_values(field))
    helped = f" ({field.help})" if field.help and field.kind != "text" else ""
    return f"{slot}{'' if field.required else ' or null'}{helped}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
