"""The classes of the debate phases, for programs that run their own debates.

``context_init`` (phase 0), ``detectors`` (convergence and the circuit breaker), ``consensus`` (strength of a consensus,
weight of a vote).
"""

from folkmoot.arena.consensus import ConsensusStrength, VoteWeightCalculator
from folkmoot.arena.context_init import ContextInitializer, DebateContext
from folkmoot.arena.detectors import CircuitBreaker, ConvergenceDetector

__all__ = [
    "CircuitBreaker",
    "ConsensusStrength",
    "ContextInitializer",
    "ConvergenceDetector",
    "DebateContext",
    "VoteWeightCalculator",
]
