# One family at all five surfaces on a real, very small model: plumbing, not a
# finding. scripts/real.sh starts the server and runs this.

experiment "real" {
  description = "Does the whole path work with a real server?"
  seed        = 7
}

variable "port" {
  type = number
}

endpoint "llama" {
  base_url      = "http://127.0.0.1:${var.port}/v1"
  identity      = "llama.cpp/smollm2-135m-instruct-q4_1"
  max_in_flight = 1 # one slot: more only wait in the server
  timeout       = "300s"
}

model "smollm2" {
  endpoint    = endpoint.llama
  id          = "smollm2"
  temperature = 0
  max_tokens  = 160

  # With its prompt cache on, this server answers equal prompts differently.
  extra_body = { cache_prompt = false }
}

cases "mcq" {
  path     = "../outputs/mcq_item_audit/accepted_cases.jsonl"
  families = 1
}

run "all" {
  models      = [model.smollm2]
  cases       = [cases.mcq]
  phases      = ["oracle", "learned"]
  p5_updaters = ["incremental_merge", "batch_replay"]
}
