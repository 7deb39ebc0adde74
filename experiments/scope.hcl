# P3: locally valid evidence with and without counterexamples from outside.
# Does a rule that holds here leak to where it does not hold?

experiment "scope" {
  description = "Does a locally valid rule leak out of its scope?"
  seed        = 7
}

model "simulated" {
  simulated = {}
}

cases "scope" {
  path       = "../outputs/mcq_item_audit/accepted_cases.jsonl"
  interfaces = ["P3"]
}

run "scope" {
  models     = [model.simulated]
  cases      = [cases.scope]
  phases     = ["oracle", "learned"]
  replicates = 2
}
