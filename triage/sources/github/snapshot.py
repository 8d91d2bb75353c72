"""What is known of one commit. Commits never change, so nothing here goes stale."""

from triage.sources.github.graphql import Found
from triage.sources.github.objects import Entry, Listing, split


class Snapshot:
    """Listings of directories, and entries of single files, as they became known."""

    def __init__(self) -> None:
        self.listings: dict[str, Listing | None] = {}
        self.confirmed = False
        """The commit has been seen to exist."""
        self.whole = False
        """All directories are in *listings*."""
        self._files: dict[str, Entry | None] = {}

    def knows(self, directory: str) -> bool:
        """Tell whether `listing` can answer."""
        return self.whole or directory in self.listings

    def listing(self, directory: str) -> Listing | None:
        """Give a directory's entries, None where there is no such directory."""
        return self.listings.get(directory)

    def knows_file(self, path: str) -> bool:
        """Tell whether `file` can answer."""
        return path in self._files or self.knows(split(path)[0])

    def file(self, path: str) -> Entry | None:
        """Give a path's entry, None where there is none.

        Out of a listing where there is one: it alone knows links.
        """
        directory, name = split(path)
        if self.knows(directory):
            return (self.listing(directory) or {}).get(name)
        return self._files.get(path)

    def add_found(self, found: Found) -> None:
        """Take in what a query brought."""
        self.confirmed = True
        self.listings.update(found.listings)
        self._files.update(found.files)

    def add_tree(self, listings: dict[str, Listing]) -> None:
        """Take in the whole tree."""
        self.confirmed = self.whole = True
        self.listings.update(listings)
