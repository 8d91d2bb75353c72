"""Which repositories the server has, under which names, and who sees them."""

from dataclasses import dataclass, field
from pathlib import Path

from tests.githubapi.gitrepo import GitRepo


class Refused(Exception):
    """An answer other than the wanted one."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {k.replace("_", "-"): v for k, v in headers.items()}


@dataclass
class Hosted:
    """A repository on the server."""

    name: str
    number: int
    repo: GitRepo
    private: bool = False
    blocked: bool = False


@dataclass
class Hosting:
    """All repositories, also under their former names."""

    tokens: set[str] = field(default_factory=lambda: {"good-token"})
    """The tokens that are valid."""
    readers: set[str] = field(default_factory=lambda: {"good-token"})
    """Those of them that see private repositories."""
    by_name: dict[str, Hosted] = field(default_factory=dict)

    def add(self, name: str, directory: Path, *, private: bool = False) -> Hosted:
        """Serve the repository at *directory* as OWNER/NAME."""
        number = 1_000 + len(self.by_name)
        hosted = Hosted(name, number, GitRepo(directory), private)
        self.by_name[name.lower()] = hosted
        return hosted

    def rename(self, old: str, new: str) -> None:
        """Give a repository a new name; the old one leads to it."""
        hosted = self.by_name[old.lower()]
        hosted.name = new
        self.by_name[new.lower()] = hosted

    def find(self, name: str, authorization: str | None) -> Hosted | None:
        """Find a repository by any of its names, or by its number."""
        for key, hosted in self.by_name.items():
            if name.lower() in {key, str(hosted.number)}:
                token = (authorization or "").partition(" ")[2]
                return hosted if not hosted.private or token in self.readers else None
        return None

    def close(self) -> None:
        """End what the repositories run."""
        for hosted in {id(one): one for one in self.by_name.values()}.values():
            hosted.repo.close()
