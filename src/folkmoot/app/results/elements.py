"""Elements of pages and pictures. All text is escaped in one place, where the tree is written."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from folkmoot.core.text import clean


def element(name: str, /, *children: "Element | str", **attributes: object) -> Element:
    """An element with its children and attributes.

    Args:
        name: of the element.
        children: elements, or text before and between them.
        attributes: ``class_`` is class; an underscore stands for a hyphen; None is left out.
    """
    pairs = {
        name.rstrip("_").replace("_", "-"): _text(value) for name, value in attributes.items() if value is not None
    }
    node = Element(name, pairs)
    extend(node, children)
    return node


def extend(node: Element, children: "Sequence[Element | str]") -> None:
    """Put children behind those that are there."""
    for child in children:
        if isinstance(child, Element):
            node.append(child)
        elif len(node):
            node[-1].tail = (node[-1].tail or "") + clean(child)
        else:
            node.text = (node.text or "") + clean(child)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", **attributes: object) -> Element:
    """A table; the first cell of each row is its head."""
    node = element("table", **attributes)
    if caption:
        node.append(element("caption", element("span", caption)))
    top = SubElement(SubElement(node, "thead"), "tr")
    extend(top, [element("th", head, scope="col") for head in heads])
    body = SubElement(node, "tbody")
    for row in rows:
        cells = [element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])]
        body.append(element("tr", *cells))
    return node


def write(node: Element) -> str:
    """The element as HTML, which writes SVG inside it as well."""
    return tostring(node, encoding="unicode", method="html")


def _text(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else clean(str(value))
