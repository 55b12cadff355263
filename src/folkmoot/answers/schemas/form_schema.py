"""A form as one JSON object: as a JSON Schema, for providers that hold a model to one, and as a prompt shows it.

Reasons come before the verdict. What comes back is read as strictly as ever: a provider may ignore a schema.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from folkmoot.core.ask import ABSTAIN, Field, Form

REASON = "REASON"
"""What the object calls the words that stand before a formula. It's no field of the form: it's what the voter says."""

LONGEST = 2000
"""Characters of a text, so that a model that doesn't come to an end is ended. llama.cpp takes no larger number."""

BRIEF, WORDS = 600, 80
"""Characters of a text that is asked for once more, and the words for which that is enough."""

WHOLE = 5
"""Where a scale is so long, numbers are whole: servers that ignore the ends of a scale keep to them then."""

SHORT, ITEMS = 400, 20
"""Characters of a position, and of an entry of a list without choices; the number of those entries."""

_KINDS = ("text", "list", "number", "flag", "choice")


def json_form(form: Form) -> Form:
    """The form laid out as one JSON object, with a reason first and the verdict last.

    What a required field needs beside it, whatever its value, is required too.
    """
    needed = {field.needs for field in form.fields if field.when}
    musts = {field.needs for field in form.fields if field.required and not field.when}

    def rank(field: Field) -> int:
        position = field.kind == "text" and field.abstain
        return len(_KINDS) if field.name in needed else _KINDS.index("choice" if position else field.kind)

    fields = [replace(field, required=field.required or field.name in musts) for field in sorted(form.fields, key=rank)]
    if form.layout == "line" and all(field.kind != "text" for field in fields):
        fields = [Field(name=REASON, help="your reasons in a few sentences"), *fields]
    return replace(form, layout="json", envelope="", fields=tuple(fields))


def fields_alone(form: Form, names: Iterable[str], required: Iterable[str]) -> Form:
    """The form with those fields alone, laid out as one JSON object; ``required``: those that must have a value."""
    wanted, musts = set(names), set(required)
    fields = [
        replace(field, required=field.required or field.name in musts)
        for field in json_form(form).fields
        if field.name in wanted
    ]
    return replace(form, layout="json", envelope="", fields=tuple(fields))


def schema_of(form: Form, longest: int = LONGEST) -> str:
    """The schema of a form's one object, as text; ``longest``: the most characters of a text in it."""
    return form.schema or json.dumps(_schema(form, longest), ensure_ascii=False)


def _schema(form: Form, longest: int) -> dict[str, object]:
    if form.record:
        (whole,) = form.fields
        records = {"type": "array", "items": _object(form.record, longest), "minItems": int(form.most == 1)}
        return _of_properties({whole.name: {**records, "maxItems": form.most}})
    inner = _object(form.fields, longest)
    return _of_properties({form.under: inner}) if form.under else inner


def _object(fields: Iterable[Field], longest: int) -> dict[str, object]:
    return _of_properties({field.name: _nullable_if_optional(field, _field(field, longest)) for field in fields})


def _of_properties(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _field(field: Field, longest: int) -> dict[str, object]:
    match field.kind:
        case "choice":
            return _choice(field)
        case "number":
            ends = {"minimum": field.low, "maximum": field.high}
            kind = "integer" if (field.high or 0) - (field.low or 0) >= WHOLE else "number"
            return {"type": kind, **{name: value for name, value in ends.items() if value is not None}}
        case "flag":
            return {"type": "boolean"}
        case "list":
            return {"type": "array", "items": _choice(field), "maxItems": len(field.choices) or ITEMS}
        case _:
            return {"type": "string", "maxLength": min(longest, SHORT) if field.abstain else longest}


def _choice(field: Field) -> dict[str, object]:
    if not field.choices:
        return {"type": "string", "maxLength": SHORT}
    return {"type": "string", "enum": [*field.choices, *([ABSTAIN] if field.abstain else [])]}


def _nullable_if_optional(field: Field, schema: dict[str, object]) -> dict[str, object]:
    return schema if field.required else {"anyOf": [schema, {"type": "null"}]}


def shown_object(form: Form) -> str:
    """The object as a prompt shows it: all that may stand in each place, so that a copy of it is no answer."""
    if form.record:
        return f"{{{_quoted(form.fields[0].name)}: [{_shown(form.record)}{', …' if form.most > 1 else ''}]}}"
    inner = _shown(form.fields)
    return f"{{{_quoted(form.under)}: {inner}}}" if form.under else inner


def _shown(fields: Iterable[Field]) -> str:
    return f"{{{', '.join(f'{_quoted(field.name)}: {_place(field)}' for field in fields)}}}"


def _place(field: Field) -> str:
    helped = f" ({field.help})" if field.help and field.kind != "text" else ""
    return f"{_slot(field)}{'' if field.required else ' or null'}{helped}"


def _slot(field: Field) -> str:
    low, high = field.low, field.high
    match field.kind:
        case "choice":
            return _either(field)
        case "number":
            both = low is not None and high is not None
            return f"a number from {low:g} to {high:g}" if both else "a number"
        case "flag":
            return "true or false"
        case "list":
            return f"[{_either(field)}, …]"
        case _:
            return f'"[{field.help or "your text"}]"'


def _either(field: Field) -> str:
    choices = [*field.choices, *([ABSTAIN] if field.abstain and field.kind == "choice" else [])]
    return " or ".join(map(_quoted, choices)) or '"[…]"'


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def most_tokens(form: Form) -> int:
    """The most tokens that the object can have with brief texts; hardly any tokenizer makes more than one of a letter."""
    return len(shown_object(form)) + sum(map(_letters, form.record or form.fields)) * max(1, form.most)


def _letters(field: Field) -> int:
    longest = max((len(choice.encode()) for choice in field.choices), default=SHORT)
    match field.kind:
        case "text":
            return BRIEF
        case "list":
            return (longest + 4) * (len(field.choices) or ITEMS)
        case _:
            return longest
