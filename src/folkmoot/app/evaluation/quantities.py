"""Read numbers out of answers: units, thousands marks, percent and fractions; and the form in which answers compare.

A text without exactly one number is not guessed at: it is unread.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from folkmoot.core.text import word_set

_FIGURES = r"\d{1,3}(?:[,'’\u00a0\u202f\u2009 ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+"
_NUMBER: Final = re.compile(
    rf"(?<![\w.])(?P<sign>[-+−]\s?)?(?P<before>[$€£¥]\s?)?(?P<sign2>[-−])?"
    rf"(?:(?P<whole>\d+)\s+(?=\d+\s?/\s?\d))?(?P<figures>{_FIGURES})(?:e(?P<power>[-+]?\d{{1,3}}))?"
    r"(?:\s?/\s?(?P<below>\d+)(?![\d/]))?"
    r"\s?(?P<times>thousand|million|billion|trillion|bn|k)?\b(?P<unit>\s?(?:%|per ?cent|[^\W\d_]+|°\s?[CF]|[€£¥$]))?",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(r"\s*(?:-|–|to|or|and)\s*[$€£¥]?\d", re.IGNORECASE)
_TIMES: Mapping[str, int] = {"thousand": 3, "k": 3, "million": 6, "billion": 9, "bn": 9, "trillion": 12}
_MONEY: Mapping[str, str] = {
    "$": "usd",
    "€": "eur",
    "£": "gbp",
    "¥": "jpy",
    "dollar": "usd",
    "euro": "eur",
    "pound": "gbp",
    "yen": "jpy",
}
_PERCENT = frozenset({"%", "percent", "per cent"})
_UNITS = word_set(
    "% usd eur gbp jpy mm cm m km mg g kg t ml l s ms min h hour minute second day week month year w kw mw kwh v a hz "
    "meter metre kilometer kilometre gram kilogram ton tonne liter litre mile foot feet inch yard ounce °c °f k"
)
"""The units that two numbers can differ in. Any other word behind a number is no unit: 14 vans are 14."""

RELATIVE = 1e-6
"""How far off a number may be, as a share of the truth, where nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with its unit; ``30 %`` is 30 with the unit ``%``."""

    value: float
    unit: str = ""

    def same(self, other: "Quantity", *, absolute: float = 0.0, relative: float = RELATIVE) -> bool:
        """Whether this number is the other one, within ``max(absolute, relative * |other|)``.

        Percents are compared as shares, and with a plain number also as they are written: ``30 %``, ``0.3`` and ``30``
        are the same. A unit that only one of the two has is passed over; two different units are never the same.
        """
        if self.unit and other.unit and self.unit != other.unit:
            return False
        room = max(absolute, relative * abs(other.value))
        if abs(self.value - other.value) <= room:
            return True
        if "%" not in (self.unit, other.unit) or self.unit == other.unit:
            return False
        share = other.value / 100 if other.unit == "%" else other.value
        own = self.value / 100 if self.unit == "%" else self.value
        return abs(own - share) <= max(absolute if other.unit != "%" else absolute / 100, relative * abs(share))


def read_quantity(text: str) -> Quantity | None:
    """The number of an answer: the one it begins with, else the only one in it; None if there is none or several.

    A number larger than any machine's is none.
    """
    text = unicodedata.normalize("NFC", text).strip().strip("*_`\"' ")
    matches = list(_NUMBER.finditer(text))
    try:
        read = [quantity for match in matches if (quantity := _quantity(match))]
    except (OverflowError, ValueError):  # too large for a float, or more figures than Python reads
        return None
    if not read:
        return None
    tail = text[matches[0].start("unit") if matches[0]["unit"] else matches[0].end() :]
    if matches[0].start() == 0 and not _RANGE.match(tail):
        return read[0]
    return read[0] if all(quantity == read[0] for quantity in read) else None


def _quantity(match: re.Match[str]) -> Quantity | None:
    figures = match["figures"]
    if re.fullmatch(r"\d+,\d{1,2}|\d+,\d{4,}|0,\d+", figures):
        figures = figures.replace(",", ".")
    value = Fraction(re.sub(r"[,'’\s]", "", figures)) * Fraction(10) ** int(match["power"] or 0)
    if match["below"]:
        if int(match["below"]) == 0:
            return None
        value /= int(match["below"])
    value += int(match["whole"] or 0)
    times, unit = (match["times"] or "").casefold(), (match["unit"] or "").strip().casefold()
    value *= 10 ** _TIMES.get(times, 0)
    if (match["sign"] or "+").strip() != "+" or match["sign2"]:
        value = -value
    unit = "%" if unit in _PERCENT else unit.replace(" ", "").removesuffix("s") or unit
    unit = _MONEY.get((match["before"] or "").strip(), _MONEY.get(unit, unit))
    return Quantity(value=float(value), unit=unit if unit in _UNITS else "")


def normal_text(text: str) -> str:
    """A text as it is compared: without case, accents' spelling, marks at its ends, articles and double blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = re.sub(r"[^\w\s.%$€£+-]", " ", plain)
    return re.sub(r"^(?:the|a|an)\s+", "", " ".join(plain.split()).strip(" .-"))
