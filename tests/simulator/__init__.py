"""Deterministic simulation: whole debates with their store, models, people and processes, made from one number.

``simulate(seed)`` runs one world and says what came of it; ``check_simulated(range(200))`` fails with the smallest case.

Read in this order: ``virtual_loop`` (time, order of tasks, processes), ``fault_plan`` (what goes wrong),
``aimed_plans`` and ``plan_drawing`` (how it is drawn from the seed), ``invariants`` (what must hold), ``checks``
(whether it does), ``story`` (what came of a world), ``garbage_collection`` (when), ``world`` (the store),
``simulated_wire`` (the provider), ``simulated_people`` (who answers by hand), ``simulation`` (processes, the end),
``shrinking`` (the smallest case), ``__main__`` (the command). Beside them: ``test_simulator`` and ``test_met_faults``, the faults that are planted into Folkmoot so that the
invariants find them (``planted_faults`` and ``faults_in_*``), and ``test_seams`` (what stands in for what).
"""

from tests.simulator.fault_plan import Plan
from tests.simulator.invariants import INVARIANTS, Violation
from tests.simulator.plan_drawing import make_plan
from tests.simulator.shrinking import Shrunk, check_simulated, shrink
from tests.simulator.simulation import simulate
from tests.simulator.story import Story

__all__ = ["INVARIANTS", "Plan", "Shrunk", "Story", "Violation", "check_simulated", "make_plan", "shrink", "simulate"]
