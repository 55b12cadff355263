"""What a host needs to measure recorded data with: the functions that learn from records, under one roof."""

from moot.learn.calibration import Calibration, Forecast, measure
from moot.learn.flips import Flips, Shift, count_flips
from moot.learn.judges import OrderSwap, Verdicts, order_swap
from moot.learn.panels import credit, cross_fitted, mean_accuracy
from moot.learn.ratings import Match, Rating, bradley_terry, ranked_pairs, spearman
from moot.learn.savings import RULES, Saving, beta, savings
from moot.learn.skene import Estimate, one_coin

__all__ = [
    "RULES",
    "Calibration",
    "Estimate",
    "Flips",
    "Forecast",
    "Match",
    "OrderSwap",
    "Rating",
    "Saving",
    "Shift",
    "Verdicts",
    "beta",
    "bradley_terry",
    "count_flips",
    "credit",
    "cross_fitted",
    "mean_accuracy",
    "measure",
    "one_coin",
    "order_swap",
    "ranked_pairs",
    "savings",
    "spearman",
]
