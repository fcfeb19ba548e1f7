"""Many asks at once among real agents: what each was answered, after how long, and the ledger."""
