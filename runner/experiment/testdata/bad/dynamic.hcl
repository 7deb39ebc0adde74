dynamic "model" {
  for_each = [1, 2]
  iterator = n
  labels   = ["m${n.value}"]
  content {
    simulated  = { competence = 5 } # ERROR: competence of simulated must be a number from 0 to 1
    temprature = 1                  # ERROR: a model has no attribute "temprature"
  }
}

dynamic "modle" { # ERROR: no block type "modle"; Did you mean "model"?
  for_each = []
  content {}
}

dynamic "run" {
  for_each = [modell.agent] # ERROR: nothing is called "modell"; Did you mean "model"?
  labels   = ["x"]
  content {}
}

dynamic "model" {
  for_each = ["a", "a"]
  iterator = n
  labels   = [n.value] # ERROR: model "a" is declared twice
  content {
    simulated = {}
  }
}

dynamic "model" {
  for_each = ["4.1"]
  iterator = n
  labels   = ["gpt-${n.value}"] # ERROR: a model cannot be called "gpt-4.1"
  content {
    simulated = {}
  }
}

dynamic "model" {
  for_each = 5 # ERROR: Invalid dynamic for_each value
  labels   = ["x"]
  content {}
}

dynamic "model" { # ERROR: Missing required argument
  for_each = [5]
  content {}
}

dynamic { # ERROR: a dynamic block needs one label
}

dynamic "model" {
  for_each = [cases.mcq, model.agent] # ERROR: nothing is called "cases"; A reference to a cases block cannot stand here # ERROR: nothing is called "model"; cannot stand here
  labels   = ["y"]
  content {}
}
