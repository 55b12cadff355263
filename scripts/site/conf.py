"""Settings of the documentation site for Sphinx: ``make site`` builds it from docs/, README.md and the docstrings.

The navigation is made of the lists of links in docs/index.md. Nothing is loaded from another host.
"""

import ast
import html
import inspect
import posixpath
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path

import mermaidx
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
SOURCES: Set[str] = {"docs", "examples", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
BRIEFS: Sequence[Path] = [path for path in (ROOT / "examples").glob("*.md") if path.name != "README.md"]

# ---- Sphinx ----------------------------------------------------------------------------------------------------------

project = "Folkmoot"
root_doc = "docs/index"
extensions: Sequence[str] = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
include_patterns: Sequence[str] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/*.md",
    "docs/**/*.md",
    "examples/*.md",
]
exclude_patterns: Sequence[str] = sorted(path.name for path in ROOT.iterdir() if path.name not in SOURCES)
source_suffix: Mapping[str, object] = {".md": "markdown"}
language = "en"
smartquotes = False
nitpicky = False
highlight_language = "none"
pygments_style = "tango"
suppress_warnings: Sequence[str] = ["misc.highlighting_failure"]  # "…" stands for what an example leaves out

# ---- Markdown --------------------------------------------------------------------------------------------------------

myst_heading_anchors = 6
myst_fence_as_directive: Set[str] = {"mermaid"}
myst_links_external_new_tab = False

# ---- docstrings ------------------------------------------------------------------------------------------------------

autodoc_default_options: Mapping[str, object] = {"members": True}
autodoc_member_order = "bysource"
autodoc_mock_imports: Sequence[str] = ["inspect_ai"]
autodoc_typehints = "none"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 90

# ---- pages -----------------------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "Folkmoot"
html_static_path: Sequence[str] = ["static"]
html_css_files: Sequence[str] = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it fetches pages, which a browser refuses for files
html_show_copyright = False
html_theme_options: Mapping[str, object] = {"navigation_with_keys": True}
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]+\.md)\)")
EXAMPLES = "examples/README"


def toctree(pages: Iterable[str], caption: str = "") -> str:
    """A hidden table of contents, from which the theme makes the navigation."""
    return "\n".join(["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *pages, "```"])


def read_navigation(index: str) -> dict[str, list[str]]:
    """The tables of contents by page: one for each section of the front page, and those of pages with others beneath.

    A line of the front page that begins with spaces names pages beneath the page of the line above.
    """
    trees: dict[str, list[str]] = {root_doc: []}
    for section in index.split("\n## ")[1:]:
        title, *lines = section.splitlines()
        pages: list[str] = []
        above = ""
        for line in lines:
            entries = [f"{words} </{at(target)}>" for words, target in _LINK.findall(line)]
            if line.startswith("  ") and entries:
                trees.setdefault(above, []).append(toctree(entries))
            elif line.startswith("- ") and entries:
                above = at(_LINK.findall(line)[0][1])
                pages += entries
        if pages:
            trees[root_doc].append(toctree(pages, title))
    trees[EXAMPLES] = [toctree(f"/examples/{path.stem}" for path in sorted(BRIEFS))]
    return trees


def at(target: str) -> str:
    """The name that Sphinx gives to the page behind a link of the front page."""
    return posixpath.normpath(f"docs/{target}").removesuffix(".md")


NAVIGATION: Mapping[str, Sequence[str]] = read_navigation((ROOT / "docs" / "index.md").read_text("utf-8"))


def prepare_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Append a page's table of contents; show a brief of the examples as it is written."""
    if name.startswith("examples/") and name != EXAMPLES:
        source[0] = f"# {name.partition('/')[2]}.md\n\n`````markdown\n{source[0]}`````\n"
    source[0] = "\n\n".join([source[0], *NAVIGATION.get(name, ())])


class Mermaid(Directive):
    """A diagram, drawn while the site is built."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The picture; its source text is what a reader gets who cannot see it."""
        text = "\n".join(self.content)
        svg = mermaidx.render(text).svg()
        label = html.escape(" ".join(text.split()), quote=True)
        figure = f'<figure class="diagram" role="img" aria-label="{label}">{svg}</figure>'
        return [nodes.raw("", figure, format="html")]


def write_signature(
    app: Sphinx, what: str, name: str, thing: object, options: object, arguments: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """The signature as it is written in the source, so that names of types stay short."""
    if inspect.isclass(thing) and is_dataclass(thing):
        init_fields = [one for one in fields(thing) if one.init]
        shown = [f"{one.name}: {type_of(one)}{default_of(one)}" for one in init_fields]
        if first := [n for n, one in enumerate(init_fields) if one.kw_only]:
            shown.insert(first[0], "*")
        return f"({', '.join(shown)})", None
    routine = getattr(thing, "__init__", None) if what == "class" else thing
    if not inspect.isroutine(routine) or arguments is None:
        return None
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(routine))).body[0]
    except (OSError, TypeError, SyntaxError):  # it has no source, such as the __init__ of a dataclass
        return None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if node.args.args and node.args.args[0].arg in ("self", "cls"):
        del node.args.args[0]
    return f"({ast.unparse(node.args)})", ast.unparse(node.returns) if node.returns and what != "class" else None


def type_of(one: Field) -> str:
    """The type of a field, without the modules of its names."""
    text = one.type if isinstance(one.type, str) else inspect.formatannotation(one.type)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)


def default_of(one: Field) -> str:
    """The default of a field as it stands in a signature."""
    if one.default is not MISSING:
        return f" = {one.default!r}" if isinstance(one.default, str | int | float | tuple | None) else " = ..."
    return " = ..." if one.default_factory is not MISSING else ""


def trim_docstring(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Leave out of a package's docstring its title and its order of reading, which are for readers of the source."""
    if what == "module":
        parts = "\n".join(lines).split("\n\n")[1:]
        lines[:] = "\n\n".join(part for part in parts if not part.startswith("Read in this order")).split("\n")


START = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Folkmoot</title>
<meta http-equiv="refresh" content="0; url={root_doc}.html">
</head><body><a href="{root_doc}.html">Folkmoot</a></body></html>
"""
"""The page that opens the front page."""


def write_start(app: Sphinx, error: Exception | None) -> None:
    """Let the folder be opened by its index.html; the front page stands beside its pages in docs/."""
    if not error:
        (Path(app.outdir) / "index.html").write_text(START, "utf-8")


def setup(app: Sphinx) -> None:
    """Connect what stands above."""
    app.add_directive("mermaid", Mermaid)
    app.connect("source-read", prepare_page)
    app.connect("autodoc-process-signature", write_signature)
    app.connect("autodoc-process-docstring", trim_docstring)
    app.connect("build-finished", write_start)
