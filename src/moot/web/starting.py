"""From a request to the desk's reception. This file owns what a body means there."""

from pydantic import BaseModel, JsonValue

from moot.app.brief.reader import Intake
from moot.app.run.choosing import Caps, Wishes
from moot.app.run.holding import Start
from moot.app.serve.admission import Order, Reception
from moot.app.serve.admission import keyed as keyed_by
from moot.app.serve.admission import request_of as hash_of
from moot.core.brief import Limits as Bounds
from moot.web.auth import Pass
from moot.web.schemas import Limits, NewDebate, Planned
from moot.web.web_site import Site


def caps_of(limits: Limits | None) -> Caps:
    """Limits for the desk."""
    return Caps(**limits.model_dump()) if limits else Caps()


def reception(site: Site, owner: str) -> Reception:
    """Who takes somebody's orders; "" for whoever is at the machine."""
    return Reception(hall=site.hall, till=site.till, serving=site.serving, owner=owner)


def order_of(body: Planned) -> Order:
    """What a body asks for."""
    wishes = Wishes(models=tuple(body.models), seed=body.seed, cast=body.cast, caps=caps_of(body.limits))
    return Order(brief=body.brief, wishes=wishes, start=not isinstance(body, NewDebate) or body.start)


async def make_ready(site: Site, holder: Pass, body: Planned) -> Start:
    """Read and prepare what a request asks for; see ``Reception.make_ready``."""
    return await reception(site, holder.owner).make_ready(order_of(body))


async def begin(site: Site, holder: Pass, body: NewDebate, key: str) -> str:
    """Begin what a request asks for; see ``Reception.begin``."""
    return await reception(site, holder.owner).begin(order_of(body), key)


async def go_on(site: Site, owner: str, debate: str, limits: Limits | None) -> bool:
    """Go on with a debate; see ``Reception.go_on``."""
    return await reception(site, owner).go_on(debate, caps_of(limits))


async def answered(site: Site, debate: str) -> bool:
    """Go on with a debate in which somebody has answered, whoever that was; see ``Reception.answered``."""
    return await reception(site, "").answered(debate)


def read_other(site: Site, holder: Pass, brief: str | dict[str, JsonValue], parent: Bounds) -> Intake:
    """Another brief for a fork; see ``Reception.read_other``."""
    return reception(site, holder.owner).read_other(brief, parent)


async def own(site: Site, holder: Pass, debate: str, asked: str) -> None:
    """Note whose a new debate is; see ``Reception.own``."""
    await reception(site, holder.owner).own(debate, asked)


async def is_there(site: Site, holder: Pass, debate: str, asked: str) -> bool:
    """Whether the debate of a key is there already; see ``Reception.is_there``."""
    return await reception(site, holder.owner).is_there(debate, asked)


def keyed(holder: Pass, key: str) -> str:
    """The id of the debate that a request under a key makes."""
    return keyed_by(holder.owner, key)


def request_of(what: str, body: BaseModel) -> str:
    """The hash of what is asked for."""
    return hash_of(what, body.model_dump(mode="json"))
