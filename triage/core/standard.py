"""The standard library, as import paths show it."""

import re

# The first elements of its import paths; `vendor` is its own vendored code.
_ROOT = re.compile(
    r"""(?:archive|arena|bufio|builtin|bytes|cmd|cmp|compress|container|context|crypto
    |database|debug|embed|encoding|errors|expvar|flag|fmt|go|hash|html|image|index
    |internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime
    |simd|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode
    |unique|unsafe|uuid|vendor|weak)(?:/|$)""",
    re.VERBOSE,
)


def is_standard(import_path: str) -> bool:
    """Tell whether *import_path* has the form of a standard package's."""
    return bool(_ROOT.match(import_path))
