"""Look declarations of a package up by name: what a context names, in full."""

from triage.core.declared import Declared, declarations
from triage.core.model import Telemetry
from triage.core.target import hinted
from triage.engine.library import Library
from triage.engine.means import Means, Repository
from triage.engine.survey import Survey


async def look_up(
    means: Means, repository: Repository, telemetry: Telemetry, name: str
) -> tuple[Declared, ...]:
    """Find *name* in the package that the file of *telemetry* belongs to.

    Raises what finding and parsing that package does.
    """
    commit = await repository.source.resolve(telemetry.commit_sha)
    survey = Survey(repository, commit, means.atlases)
    finding = await survey.find(telemetry, ())
    place = finding.places[0]
    tested = {place.directory} if place.name.endswith("_test.go") else set[str]()
    library = Library(means, survey, hinted(telemetry, None), tested)
    view = await library.view(place.directory, place.name)
    return declarations(view, name)
