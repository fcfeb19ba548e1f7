"""Orchestration: typed messages in, typed messages out. No SQL text, no wire JSON."""
