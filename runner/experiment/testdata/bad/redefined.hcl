model "a" {
  simulated = {}
  simulated = {} # ERROR: Attribute redefined
}

run "r" {
  models = [model.nobody] # ERROR: no model named "nobody"
  cases  = [cases.mcq]
}
