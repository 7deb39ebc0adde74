# Twelve mistakes, none of syntax: each is reported once, at its place.

experiment "twelve" {
  sead = 7 # 1: unknown attribute, near miss
}

variable "families" {
  type    = number
  default = "many" # 2: default of another type
}

endpoint "openai" {
  base_url    = "api.openai.com/v1" # 3: no scheme
  api_key_env = "sk-proj-0123456789abcdefghij" # 4: a key where a name belongs
}

model "agent" {
  endpoint    = endpoint.opnai # 5: misspelled reference
  id          = "gpt-4o-mini"
  temperature = 2.5 # 6: out of range
  price       = { input = 0.15, ouput = 0.60 } # 7: misspelled member
}

model "agent" { # 8: label taken
  simulated = {}
}

modle "other" { # 9: unknown block type
  simulated = {}
}

cases "mcq" {
  path       = "base/cases.jsonl"
  interfaces = ["P4", "p6"] # 10: no such interface
  families   = var.families
}

run "paths" {
  models      = [model.agent, model.other]
  cases       = [cases.mcq]
  p5_updaters = ["incremental_merge", "batch_repaly"] # 11: misspelled name
  max_cost    = spilt(",", "20") # 12: unknown function
}
