# The controls beside the attack: the gold policy as memory (oracle), the
# records without consolidation (raw), and a second draw of the clean chain
# as the noise floor of ASR.

experiment "controls" {
  description = "How much of the effect is consolidation, how much is noise?"
  seed        = 7
}

model "simulated" {
  simulated = {}
}

cases "mcq" {
  path = "../outputs/mcq_item_audit/accepted_cases.jsonl"
}

run "controls" {
  models     = [model.simulated]
  cases      = [cases.mcq]
  phases     = ["oracle", "learned", "raw"]
  replicates = 3
}
