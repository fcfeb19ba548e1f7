"""One module per row of the table; each has `measure(quick) -> dict[figure name, value]`."""
