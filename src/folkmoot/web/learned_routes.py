"""Routes of what was learned over all debates: ratings, calibration, memory, evaluations."""

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import Path as PathPart
from fastapi import Query, Response

from folkmoot.analysis.memory_lines import HEADINGS, learned_lines
from folkmoot.app.evaluation.folder import StoredEvaluation, read_result, stored_evaluations
from folkmoot.app.evaluation.output import page
from folkmoot.app.evaluation.scoreboard import measure
from folkmoot.app.export.learned import DomainRatings, add_note, calibration, domain_ratings, learned_items, search
from folkmoot.app.plan.settings import lock_place
from folkmoot.learn.calibration import Calibration
from folkmoot.learn.memory import FoundMemory, Kind
from folkmoot.web.problems import Problem
from folkmoot.web.read_schemas import ForgottenDebate, LearnedPart
from folkmoot.web.site import Owner, Owning, SiteOf, api_router

router = api_router("library")


@router.get("/ratings")
async def get_ratings(
    site: SiteOf, holder: Owner, domain: Annotated[str | None, Query(max_length=200)] = None
) -> list[DomainRatings]:
    """Return the ratings of models by the debates that one of them won."""
    _check_machine(holder.machine)
    return list(await domain_ratings(site.workspace, domain))


@router.get("/calibration")
async def get_calibration(site: SiteOf, holder: Owner) -> dict[str, Calibration]:
    """Return how well the confidence of each model matches its accuracy."""
    _check_machine(holder.machine)
    return dict(await calibration(site.workspace))


@router.get("/memory")
async def search_memory(
    site: SiteOf,
    holder: Owner,
    q: Annotated[str, Query(max_length=500, examples=["billing"])] = "",
    kind: Kind = "outcome",
    most: Annotated[int, Query(ge=1, le=100)] = 10,
) -> list[FoundMemory]:
    """Find outcomes of earlier debates by words and by similarity; without words, list the newest."""
    _check_machine(holder.machine)
    return list(await search(site.workspace, q, kind=kind, limit=most))


@router.get("/debates/{debate}/memory")
async def get_memory(visit: Owning) -> list[LearnedPart]:
    """Return everything that was learned from a debate, in sentences; nothing if it was forgotten."""
    items = await learned_items(visit.site.workspace, visit.debate, tuple(HEADINGS))
    bodies = {kind: [item.body for item in learned] for kind, learned in items.items()}
    return [LearnedPart(heading=heading, items=lines) for heading, lines in learned_lines(bodies)]


@router.delete("/debates/{debate}/memory")
async def forget_debate(visit: Owning) -> ForgottenDebate:
    """Forget permanently what was learned from a debate. Its record is not changed."""
    await add_note(visit.site.workspace, visit.debate, "forget")
    return ForgottenDebate(id=visit.debate)


@router.get("/evaluations")
async def list_evaluations(site: SiteOf, holder: Owner) -> list[StoredEvaluation]:
    """List the evaluations of the store, and those in the folder in which the server was started."""
    _check_machine(holder.machine)
    return list(await asyncio.to_thread(stored_evaluations, lock_place(site.workspace.store), Path()))


@router.get(
    "/evaluations/{evaluation}",
    responses={200: {"description": "The scoreboard as a page.", "content": {"text/html": {}}}},
    response_class=Response,
)
async def get_evaluation(
    site: SiteOf,
    holder: Owner,
    evaluation: Annotated[str, PathPart(pattern="^[0-9a-f]{16}$", examples=["5f0c31a9b2d47e86"])],
) -> Response:
    """Return the scoreboard of an evaluation with its plots and tables, the same page as `folkmoot eval export` writes."""
    _check_machine(holder.machine)
    stored = await asyncio.to_thread(stored_evaluations, lock_place(site.workspace.store), Path())
    folder = next((item.folder for item in stored if item.id == evaluation), None)
    if folder is None:
        raise Problem(404, f"there is no evaluation {evaluation}")
    content = await asyncio.to_thread(lambda: page(measure(read_result(Path(folder)))))
    # A page of its own has no script, and its style stands in it.
    policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    return Response(content, media_type="text/html", headers={"Content-Security-Policy": policy})


def _check_machine(machine: bool) -> None:
    """Refuse the memory of all debates to a token, which may read its own debates only."""
    if not machine:
        raise Problem(403, "the memory comes from the debates of all owners; a token can read its own debates only")
