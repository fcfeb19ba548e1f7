"""Native wire protocols ↔ domain events. Nothing native leaves this layer."""
