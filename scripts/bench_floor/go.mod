module triage/bench_floor

go 1.27
