# The whole path in a minute, offline: plan, run and score on the embedded
# simulated model. Its numbers test memform; they are no finding.
#
#   memform plan experiments/quickstart.hcl
#   memform run experiments/quickstart.hcl

experiment "quickstart" {
  description = "Does the whole path work here, offline and for free?"
  seed        = 7
}

model "simulated" {
  simulated = { competence = 0.9, susceptibility = 0.7 }
}

cases "mcq" {
  path = "../outputs/mcq_item_audit/accepted_cases.jsonl"
}

run "all" {
  models           = [model.simulated]
  cases            = [cases.mcq]
  phases           = ["oracle", "learned"]
  p5_updaters      = ["incremental_merge", "batch_replay"]
  p5_random_orders = 3
  replicates       = 2
}
