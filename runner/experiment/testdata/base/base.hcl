experiment "base" {}

endpoint "openai" {
  base_url = "https://api.openai.com/v1"
}

model "agent" {
  endpoint = endpoint.openai
  id       = "gpt-4o-mini"
}

model "simulated" {
  simulated = {}
}

cases "mcq" {
  path = "cases.jsonl"
}

run "base" {
  models = [model.simulated]
  cases  = [cases.mcq]
}
