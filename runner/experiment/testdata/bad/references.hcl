model "a" {
  endpoint = endpoint.opnai # ERROR: no endpoint named "opnai"; Did you mean endpoint.openai?
  id       = "x"
}

model "b" {
  endpoint = "openai" # ERROR: endpoint must be a reference to an endpoint; Did you mean endpoint.openai, without quotes?
  id       = "x"
}

model "c" {
  endpoint = model.agent # ERROR: endpoint must be a reference to an endpoint; This is a reference to a model
  id       = "x"
}

run "r" {
  models = [model.agnet]  # ERROR: no model named "agnet"; Did you mean model.agent?
  cases  = [modle.agent]  # ERROR: nothing is called "modle"; Did you mean "model"?
  phases = [oracle]       # ERROR: nothing is called "oracle"; A text needs quotes: "oracle".
}

run "s" {
  models = model.agent                           # ERROR: models must be a list of references to model blocks; Write [model.agent].
  cases  = [cases.mcq, model.agent, "mcq"]       # ERROR: an element of cases must be a reference to a cases block; This is a reference to a model # ERROR: an element of cases must be a reference to a cases block; Did you mean cases.mcq, without quotes?
  phases = "oracle"                              # ERROR: phases must be a list; Write ["oracle"].
}

run "t" {
  models = [model.agent, model["agent"]] # ERROR: model.agent is in models twice; distinct
  cases  = []                            # ERROR: cases is empty; Write [cases.name].
}

run "u" {
  models = [for m in [model.agent] : m.id] # ERROR: Unsupported attribute
  cases  = [cases.mcq][1]                  # ERROR: Invalid index
}

run "v" {
  models = [var.which] # ERROR: no variable named "which"; Add variable "which"
  cases  = try(cases.nothing, modle.x, [cases.mcq])
}
