# P5: the same experiences in another order. Four ways to consolidate them,
# and random orders as the null: how far does order alone move decisions?

experiment "order" {
  description = "Does consolidation order alone move decisions?"
  seed        = 7
}

variable "orders" {
  type        = number
  default     = 6
  description = "Random orders beside the clean and the poisoned one."
}

model "simulated" {
  simulated = {}
}

cases "paths" {
  path       = "../outputs/mcq_item_audit/accepted_cases.jsonl"
  interfaces = ["P5"]
}

run "order" {
  models           = [model.simulated]
  cases            = [cases.paths]
  phases           = ["learned"]
  p5_updaters      = ["incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"]
  p5_random_orders = var.orders
  replicates       = 2
}
