"""Routes of what the owner's machine knows. This file owns ratings, memory, models, protocols and what is served."""

from importlib import metadata
from typing import Annotated

from fastapi import Query

from moot.app.brief.offers import PROTOCOLS, STRATEGIES
from moot.app.export.learned import Standings, calibration, search, standings
from moot.app.plan.look import look_around
from moot.learn.calibration import Calibration
from moot.learn.memory import Found, Kind
from moot.web.pages import build_of
from moot.web.problems import Problem
from moot.web.read_schemas import Bounds, Info, Lacking, Offers, Reached, Served
from moot.web.web_site import Owner, SiteOf, api_router

router = api_router("library")


@router.get("/ratings")
async def get_ratings(
    site: SiteOf, holder: Owner, domain: Annotated[str | None, Query(max_length=200)] = None
) -> list[Standings]:
    """Rate the models by the debates in which one of them won."""
    _check_machine(holder.machine)
    return list(await standings(site.desk, domain))


@router.get("/calibration")
async def get_calibration(site: SiteOf, holder: Owner) -> dict[str, Calibration]:
    """Say how far the confidence of each model can be trusted."""
    _check_machine(holder.machine)
    return dict(await calibration(site.desk))


@router.get("/memory")
async def search_memory(
    site: SiteOf,
    holder: Owner,
    q: Annotated[str, Query(min_length=1, max_length=500, examples=["billing"])],
    kind: Kind = "outcome",
    most: Annotated[int, Query(ge=1, le=100)] = 10,
) -> list[Found]:
    """Find outcomes of earlier debates by words and likeness."""
    _check_machine(holder.machine)
    return list(await search(site.desk, q, kind=kind, most=most))


def _check_machine(machine: bool) -> None:
    """Refuse what was learned from all debates to whoever may see its own only."""
    if not machine:
        raise Problem(403, "what was learned comes from everybody's debates; a token opens its own only")


@router.get("/models")
async def get_models(holder: Owner) -> Reached:
    """Say which models are in reach: local servers, keys that are set (never their values), the built-in seat."""
    reach = await look_around()
    return Reached(
        servers=[Served(provider=each.provider, up=each.up, models=list(each.models)) for each in reach.servers],
        keys=[provider for provider, _ in reach.keys],
        missing=[Lacking(provider=provider, set=variables) for provider, variables in reach.missing],
        models=list(reach.models),
        advice=list(reach.advice),
    )


@router.get("/protocols")
async def get_protocols(holder: Owner) -> Offers:
    """List the protocols that a brief may name, and the ways to decide."""
    return Offers(protocols=list(PROTOCOLS), strategies=list(STRATEGIES))


@router.get("/info")
async def get_info(site: SiteOf, holder: Owner) -> Info:
    """Say what is served: the version, the page's build, the owner's limits, what is used today."""
    serving = site.serving
    return Info(
        version=metadata.version("moot"),
        build=build_of(),
        name=holder.owner,
        machine=holder.machine,
        model=site.hall.config.model,
        held=len(await site.hall.holders()),
        most=site.hall.room,
        learn=site.hall.config.learn,
        limits=Bounds(cost=serving.cost, tokens=serving.tokens_per_debate, asks=serving.asks),
        daily=None if holder.machine else serving.daily,
        used_today=None if holder.machine else await site.till.used(holder.owner),
    )
