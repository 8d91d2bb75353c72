"""Mask what looks like a secret, before anything leaves for a model, an agent or a sink.

Names, types and structure stay: in Go source only literals and comments are touched, and
what has the unmistakable form of a key. Lines stay where they are.
"""

from triage.core.masking.mask import Found, Masked, mask
from triage.core.masking.results import masked_result

__all__ = ["Found", "Masked", "mask", "masked_result"]
