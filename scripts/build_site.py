"""Builds the documentation site into build/site: ``make site``. A link or an anchor that leads nowhere is an error.

The pages and their search are files: a browser opens them without a server, and nothing comes from another host.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "site"


def build(source: Path, out: Path) -> int:
    """Build the site of a checkout; the exit code, which is not 0 where anything was to be complained about."""
    # What a page links to is checked where the page is read, so every page is read each time.
    strict = ["--fail-on-warning", "--keep-going", "--fresh-env", "--quiet"]
    places = ["--conf-dir", source / "scripts" / "site", "--doctree-dir", out.parent / "doctrees", source, out]
    return subprocess.run([sys.executable, "-m", "sphinx", "--builder", "html", *strict, *places]).returncode


def main(words: Sequence[str]) -> int:
    """Build the site, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the pages")
    out = parser.parse_args(words).out
    if code := build(ROOT, out):
        return code
    print(f"Open {out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
