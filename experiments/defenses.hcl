# What the five defenses do to attack success, and what they cost in clean
# accuracy. Offline: agent and guards are simulated; with a real model in place
# of each, the file asks the same of it.
#
#   memform plan experiments/defenses.hcl
#   memform run experiments/defenses.hcl --var families=6

experiment "defenses" {
  description = "What does each defense do to attack success, and at what clean cost?"
  seed        = 7
}

variable "families" {
  type        = number
  default     = 24
  description = "Families to sample."
}

model "agent" {
  simulated = { competence = 0.9, susceptibility = 0.7 }
}

# It finds most forged records and accuses few authentic ones.
model "guard" {
  simulated = { detection = 0.8, false_alarm = 0.05 }
}

cases "mcq" {
  path       = "../outputs/mcq_item_audit/accepted_cases.jsonl"
  interfaces = ["P1", "P2", "P3", "P4", "P5"]
  families   = var.families
}

# keyword_filter, llm_judge, memory_sanitization, a_memguard and task_shield.
defense "five" {
  method = "all"
  model  = model.guard
}

# A second draw of the undefended clean chain is the noise that the clean cost
# of a defense is read against.
run "guarded" {
  models      = [model.agent]
  cases       = [cases.mcq]
  phases      = ["learned"]
  p5_updaters = ["incremental_merge", "batch_replay"]
  replicates  = 2
  defenses    = [defense.five]
}

comparison "attack_success" {
  metric   = "asr"
  baseline = "none"
  over     = "defense"
}

comparison "clean_accuracy" {
  metric   = "acc"
  baseline = "none"
  over     = "defense"
}
