"""Draws the picture of docs/performance.md out of what benchmarks/wires.py has measured."""

import json
from collections.abc import Mapping
from math import log10
from pathlib import Path

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 46, 52
TICKS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Milliseconds that have a line; the first and the last one are the ends of the axis."""

COLOURS = ("#6b7280", "#b45309", "#be185d", "#0f766e", "#1d4ed8")


def picture(path: Path) -> str:
    """The picture as SVG: milliseconds of the processor by the words of an answer, both in powers of ten.

    Args:
        path: what ``benchmarks/wires.py --json`` has written.
    """
    rows: Mapping[str, Mapping[str, float]] = json.loads(path.read_text("utf-8"))["ms"]
    lengths = [int(name.removeprefix("burst-")) for name in next(iter(rows.values())) if name.startswith("burst-")]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13" role="img">',
        "<title>Processor time of a streamed answer by its length</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">Processor time of a streamed answer, ms</text>',
    ]
    for tick in TICKS:
        y = down(tick)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#e5e7eb"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" fill="#374151">{tick:g}</text>')
    for length in lengths:
        x = across(length, lengths[-1])
        parts.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" fill="#374151">{length}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle" fill="#374151">words of the answer</text>')
    for colour, (name, values) in zip(COLOURS, rows.items(), strict=True):
        points = [(across(length, lengths[-1]), down(values[f"burst-{length}"])) for length in lengths]
        line = " ".join(f"{x},{y}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points]
        label = f"{name} {values[f'burst-{lengths[-1]}']:.1f}"
        parts.append(f'<text x="{points[-1][0] + 10}" y="{points[-1][1] + 4}" fill="{colour}">{label}</text>')
    return "\n".join((*parts, "</svg>")) + "\n"


def across(words: int, most: int) -> float:
    """Where a length stands."""
    return round(LEFT + (WIDTH - LEFT - RIGHT) * log10(words) / log10(most), 1)


def down(milliseconds: float) -> float:
    """Where a time stands."""
    share = log10(milliseconds / TICKS[0]) / log10(TICKS[-1] / TICKS[0])
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)
