"""Bytes to text: the encodings that a foreign server or page may name, and what is done with any other name.

Only the encodings of the web are used (WHATWG, "Encoding Standard", https://encoding.spec.whatwg.org/#names-and-labels).
Python has codecs beside them that are no encodings of documents: some of them raise whatever the error handler says,
some take a time that grows with the square of the size.
"""

from collections.abc import Mapping
from encodings import normalize_encoding
from encodings.aliases import aliases

from folkmoot.core.text import word_set

_OF_THE_WEB = word_set(
    "ascii utf_8 utf_8_sig utf_16 utf_16_be utf_16_le latin_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 "
    "iso8859_7 iso8859_8 iso8859_9 iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 cp866 cp874 "
    "cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8_r koi8_u mac_roman mac_cyrillic tis_620 "
    "gb2312 gbk gb18030 big5 big5hkscs cp949 cp932 euc_jp euc_kr iso2022_jp shift_jis"
)
"""The standard's encodings as Python's modules are called, and their subsets that Python tells from them."""

_ONLY_OF_THE_WEB: Mapping[str, str] = {
    "dos_874": "cp874",
    "iso_8859_8_i": "iso8859_8",
    "koi8_ru": "koi8_u",
    "windows_874": "cp874",
    "windows_949": "cp949",
    "x_euc_jp": "euc_jp",
    "x_gbk": "gbk",
    "x_mac_cyrillic": "mac_cyrillic",
    "x_sjis": "shift_jis",
}
"""Labels of the standard that Python does not know."""


def web_encoding(label: str) -> str:
    """Python's name of the encoding that a label means; "" where it is none of the web's.

    The tables are read, and not ``codecs.lookup``: that imports and keeps something for each name that it is asked for.
    """
    name = normalize_encoding(label.strip().lower())
    name = _ONLY_OF_THE_WEB.get(name) or aliases.get(name, name)
    return name if name in _OF_THE_WEB else ""


def decode(data: bytes, charset: str) -> str:
    """The text in the encoding that is named, in UTF-8 where that is none of the web's; never an error."""
    return data.decode(web_encoding(charset) or "utf-8-sig", "replace")
