"""The version, in this one place: packaging, helper, caches and commands read it."""

__version__ = "0.1.0"
