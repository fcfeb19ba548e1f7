"""What agents and people write, as HTML that is safe to show."""
