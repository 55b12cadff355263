"""Many debates from one command: ``batch_plan`` (which), ``run_batch`` (run them), ``summary`` (what came of them)."""
