module triage/goparse_helper

go 1.27
