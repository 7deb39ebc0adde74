# References to what another mistake took away give no second error.
frobnicate "x" { # ERROR: no block type "frobnicate"; Possible: experiment, variable
  simulated = {}
}

dynamic "model" {
  for_each = [1]
  labels   = ["y"]
  iterator = n
  content {
    simulated = {}
  }
}

dynamic "cases" {
  for_each = nothing # ERROR: nothing is called "nothing"
  labels   = ["z"]
  content {
    path = "cases.jsonl"
  }
}

run "r" {
  models = [model.x, model.y]
  cases  = [cases.z]
}
