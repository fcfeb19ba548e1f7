"""Setting a room up: its config as a draft, and the programs that are there to be its agents."""
