"""The formats of the ledger, one numbered module each."""
