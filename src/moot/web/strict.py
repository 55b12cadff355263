"""JSON of requests, strictly. This file owns that a body says each thing once, and nothing that JSON cannot say."""

import json
import math
from collections.abc import Sequence

from moot.web.problems import Problem


def check_json(body: bytes) -> None:
    """Refuse a body that readers could take in different ways.

    Raises:
        Problem: 400 where it is no JSON, names a key twice, or holds a number or a text that cannot be.
    """
    try:
        found = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_never, parse_float=_float)
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(400, "a text in the body holds half of a character (a lone surrogate)") from None
    except UnicodeDecodeError:
        raise Problem(400, "the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Problem(400, f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Problem(400, "the body is nested too deeply") from None
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise Problem(400, "a number in the body is too large") from None


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise Problem(400, f"the body names {name[:60]!r} twice")
        found[name] = value
    return found


def _never(name: str) -> object:
    raise Problem(400, f"{name} is no number of JSON")


def _float(digits: str) -> float:
    if not math.isfinite(value := float(digits)):
        raise Problem(400, "a number in the body is too large")
    return value
