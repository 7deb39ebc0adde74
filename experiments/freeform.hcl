# The same poison, the decision in the agent's own words: an open
# recommendation is matched with canonical phrases, then read by a parser, then
# judged. Offline: all three models are simulated.
#
#   memform plan experiments/freeform.hcl
#   memform run experiments/freeform.hcl

experiment "freeform" {
  description = "Does poisoned memory move open recommendations as it moves choices?"
  seed        = 7
}

model "agent" {
  simulated = { competence = 0.9, susceptibility = 0.7 }
}

# Read answers with a model that is not of the agent's family.
model "parser" {
  simulated = {}
}

model "judge" {
  simulated = {}
}

cases "freeform" {
  path = "../outputs/freeform_item_audit/accepted_cases.jsonl"
}

run "open" {
  models           = [model.agent]
  cases            = [cases.freeform]
  phases           = ["oracle", "learned"]
  p5_updaters      = ["incremental_merge", "batch_replay"]
  replicates       = 2
  target_alignment = model.judge
  freeform {
    parser = model.parser
    judge  = model.judge
  }
}
