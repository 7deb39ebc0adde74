# The same cases on memform's own client, carried by LangChain and LlamaIndex,
# and remembered by two memory systems in their own way. Which rates move with
# the libraries under an agent? To run it, install them; to plan it, nothing.
#
#   memform stack install langchain llamaindex
#   memform run experiments/stacks.hcl --var families=20

experiment "stacks" {
  description = "Do the libraries under an agent move its decisions?"
  seed        = 7
}

variable "families" {
  type        = number
  description = "Families to sample."
  default     = 1
}

model "simulated" {
  simulated = { competence = 0.9, susceptibility = 0.7 }
}

cases "mcq" {
  path     = "../outputs/mcq_item_audit/accepted_cases.jsonl"
  families = var.families
}

# memform's prompts, sent by three clients.
dynamic "run" {
  for_each = ["native", "langchain", "llamaindex"]
  labels   = [run.value]
  content {
    stack            = run.value
    models           = [model.simulated]
    cases            = [cases.mcq]
    phases           = ["oracle", "learned"]
    p5_updaters      = ["incremental_merge"]
    p5_random_orders = 2
  }
}

# Memories formed by the prompts of the library: one updater, its own.
dynamic "run" {
  for_each = ["langmem", "llamaindex-facts"]
  labels   = [run.value]
  content {
    stack            = run.value
    models           = [model.simulated]
    cases            = [cases.mcq]
    phases           = ["oracle", "learned"]
    p5_random_orders = 2
  }
}

comparison "stacks" {
  metric   = "asr"
  baseline = "native"
  over     = "stack"
}
