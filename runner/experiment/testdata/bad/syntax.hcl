model "a" {
  temprature = 0 # ERROR: a model has no attribute "temprature"; Did you mean "temperature"?
  simulated  = {}
}

cases "b" {
  families = 0 # ERROR: families must be a whole number of at least 1
  path     = = # ERROR: Invalid expression
}

model "lost" {
  endpoint = endpoint.nowhere
}

run "r" {
  models = [model.nobody]
  cases  = [cases.mcq]
  phases = ["nine"] # ERROR: an element of phases cannot be "nine"
}
