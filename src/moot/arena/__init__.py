"""The detector of convergence and the circuit breaker of the debate phases, for programs that run their own debates."""

from moot.arena.detectors import CircuitBreaker, ConvergenceDetector

__all__ = ["CircuitBreaker", "ConvergenceDetector"]
