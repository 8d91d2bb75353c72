"""`triage serve`: the HTTP service, its workers and how they are run."""
