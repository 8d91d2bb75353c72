"""A cache tier that tests can look into."""

from collections.abc import Mapping


class DictTier:
    """A tier that is a dict, and notes what it was given."""

    def __init__(self, name: str, **held: bytes) -> None:
        self.name = name
        self.held = {("blobs", key.encode()): data for key, data in held.items()}
        self.rows: dict[tuple[bytes, str], str] = {}
        self.closed = False

    async def get(self, kind, keys):
        """Return those of *keys* that are held."""
        return {k: self.held[kind, k] for k in keys if (kind, k) in self.held}

    def put(self, kind, items):
        """Take *items* to keep."""
        self.held |= {(kind, key): data for key, data in items.items()}

    async def paths(self, commit, forms):
        """Find files by path."""
        return [self.rows[commit, f] for f in forms if (commit, f) in self.rows]

    def put_paths(self, commit: bytes, forms: Mapping[str, str]) -> None:
        """Take paths to keep."""
        self.rows |= {(commit, form): path for form, path in forms.items()}

    async def close(self):
        """Note it."""
        self.closed = True
