"""Deterministic simulation: whole debates with their store, models, people and processes, made from one number.

``simulate(seed)`` runs one world and says what came of it, ``check_simulated(range(200))`` is for a test of your own.

Read in this order: ``virtual_loop`` (time, order of tasks, processes), ``fault_plan`` (what goes wrong),
``aimed_plans`` and ``plan_drawing`` (how it is drawn from the seed), ``invariants`` (what must hold), ``checks``
(whether it does), ``story`` (what came of a world), ``garbage_collection`` (when), ``world`` (the store),
``simulated_wire`` (the provider), ``simulated_people`` (who answers by hand), ``simulation`` (processes, the end),
``simulated_queue`` and ``simulated_workers`` (debates run by workers), ``shrinking`` (the smallest case), ``__main__``
(the command).
"""

from folkmoot.testing.simulate.fault_plan import Plan
from folkmoot.testing.simulate.invariants import INVARIANTS, Violation
from folkmoot.testing.simulate.plan_drawing import make_plan
from folkmoot.testing.simulate.shrinking import Shrunk, check_simulated, shrink
from folkmoot.testing.simulate.simulation import simulate
from folkmoot.testing.simulate.story import Story

__all__ = ["INVARIANTS", "Plan", "Shrunk", "Story", "Violation", "check_simulated", "make_plan", "shrink", "simulate"]
