"""The pure core: decisions over frozen values; no I/O, no async, no clock."""
