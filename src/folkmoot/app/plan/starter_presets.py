"""What is offered for a start, from the models in reach: presets, and models with their prices."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from folkmoot.app.plan.assignment import OTHER_MODELS
from folkmoot.core.ask import Usage
from folkmoot.core.brief import QUOTES
from folkmoot.core.families import family
from folkmoot.models.discover import Available
from folkmoot.models.names import PROVIDERS, ModelName, parse
from folkmoot.models.prices import cost

USUAL_QUESTION = "Should a team of eight build or buy its billing system?"
"""The question for which a preset's cost is estimated."""


SEATS = 3

_PLAIN = re.compile(r'[^\s"\\]+')
"""What a name may be of that stands between quotes as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterPreset:
    """A preset that is offered: its name and its settings, as they stand in the file."""

    name: str
    settings: Mapping[str, str | float | tuple[str, ...]]

    def text(self) -> str:
        """The table as TOML."""
        lines = [f"{key} = {_toml(value)}" for key, value in self.settings.items()]
        return "\n".join([f"[presets.{self.name}]", *lines, ""])


def _toml(value: str | float | tuple[str, ...]) -> str:
    if isinstance(value, float | int):
        return f"{value:.2f}"
    return f'"{value}"' if isinstance(value, str) else f"[{', '.join(map(_toml, value))}]"


def starter_presets(reach: Available) -> tuple[StarterPreset, ...]:
    """The presets fast, quality, budget and review of the models in reach; none where no language model is.

    Models of other families go first: their mistakes are less alike.
    """
    large, small = _seats(reach, 0), _seats(reach, 1)
    if not large:
        return ()
    return tuple(
        StarterPreset(name=name, settings={"models": models, **settings, **_cost(models, cost)})
        for name, models, settings, cost in (
            ("fast", small, {"protocol": "gate", "participants": "builtin"}, 0.20),
            ("quality", large, {"protocol": "panel"}, 2.00),
            ("budget", small[:1], {"protocol": "sample", "participants": "builtin"}, 0.05),
            ("review", large, {}, 2.00),
        )
    )


def _seats(reach: Available, size: Literal[0, 1]) -> tuple[str, ...]:
    """At most three models, of different families as far as there are such."""
    models = [
        f"{name}:{model}" for name, _ in reach.keys if name in PROVIDERS for model in PROVIDERS[name].starters[size]
    ]
    models += [model for model in reach.models[:-1] if not OTHER_MODELS.search(model) and _PLAIN.fullmatch(model)]
    models = [model for model in models if family(model)]
    first: dict[str, str] = {}
    for model in models:
        first.setdefault(family(model), model)
    return tuple(first.values())[:SEATS]


def _cost(models: Sequence[str], cost: float) -> dict[str, float]:
    """The limit on cost; none where a model has no known price, since it could not be kept."""
    priced = all(
        PROVIDERS[name].prices or PROVIDERS[name].local for name in (model.partition(":")[0] for model in models)
    )
    return {"cost": cost} if priced else {}


# ---- models with their prices ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffer:
    """A model that can be chosen now.

    Attributes:
        model: its name.
        reach: whether a local server has it now, or only a key of its provider is set, or it is built in.
        input_price: US dollars for a million input tokens; None where that is not known.
        output_price: the same for output tokens.
    """

    model: str
    reach: Literal["answers", "key", "built_in"]
    input_price: float | None = 0.0
    output_price: float | None = 0.0


def model_offers(reach: Available) -> list[ModelOffer]:
    """The models of local servers, the built-in one, and of each provider with a key its large and small ones.

    It may load the list of prices, which takes a moment.
    """
    starters = [
        f"{name}:{model}"
        for name, _ in reach.keys
        if name in PROVIDERS
        for size in PROVIDERS[name].starters
        for model in size
    ]
    return [
        *(_priced(model, "answers") for model in reach.models if model != QUOTES),
        ModelOffer(model=QUOTES, reach="built_in"),
        *(_priced(model, "key") for model in starters),
    ]


def _priced(model: str, reach: Literal["answers", "key"]) -> ModelOffer:
    """A model as it is offered."""
    name = parse(model)
    return ModelOffer(
        model=model,
        reach=reach,
        input_price=_for_a_million(name, Usage(input_tokens=1000)),
        output_price=_for_a_million(name, Usage(output_tokens=1000)),
    )


def _for_a_million(name: ModelName, thousand: Usage) -> float | None:
    """The price of a thousand tokens times a thousand: a long prompt may have another price."""
    price = cost(name, thousand)
    return None if price is None else round(price * 1000, 6)
