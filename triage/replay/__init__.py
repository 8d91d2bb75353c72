"""`triage replay`: many panics of the past, explained in one run."""

from triage.replay.run import Outcome, Wish, replay

__all__ = ["Outcome", "Wish", "replay"]
