run "parsed" {
  models   = [model.simulated]
  cases    = [cases.mcq]
  max_cost = 1 # ERROR: max_cost needs a price for model.agent
  freeform {
    parser = model.agent
  }
}

run "empty" {
  models = [model.simulated]
  cases  = [cases.mcq]
  freeform { # ERROR: a freeform block needs parser or judge; Add parser = model.name
  }
}

run "twice" {
  models = [model.simulated]
  cases  = [cases.mcq]
  freeform {
    parser = "simulated" # ERROR: parser must be a reference to a model; Did you mean model.simulated, without quotes?
  }
  freeform { # ERROR: a second freeform block; testdata/bad/freeform.hcl:20:3
    judge  = model.simulatd # ERROR: no model named "simulatd"; Did you mean model.simulated?
    jugde  = model.simulated # ERROR: a freeform has no attribute "jugde"; Did you mean "judge"?
    within = 1 # ERROR: a freeform has no attribute "within"; Possible: parser, judge.
    run "x" { # ERROR: no block "run" in a freeform; a run stands at the top level
    }
  }
}

run "outline" {
  models   = [model.simulated]
  cases    = [cases.mcq]
  freeform = { judge = model.simulated } # ERROR: a run has no attribute "freeform"; freeform is a block: write freeform { … }
  freefrom { # ERROR: no block "freefrom" in a run; Did you mean "freeform"?
    judge = model.simulated
  }
  freeform "x" { # ERROR: a freeform block takes no label; Write freeform { … }.
    judge = model.simulated
  }
  whatever { # ERROR: no block "whatever" in a run; Possible: freeform.
  }
  dynamic "freeform" { # ERROR: a freeform block cannot be dynamic
    for_each = [1]
    content {}
  }
}

dynamic "run" {
  for_each = ["one", "two"]
  iterator = each
  labels   = [each.value]
  content {
    models = [model.simulated]
    cases  = [cases.mcq]
    freeform {
      parser = model.simulated
      judge  = each.value # ERROR: judge must be a reference to a model; This is a text
    }
    freeform "x" { # ERROR: a freeform block takes no label
      parser = model.simulated
    }
  }
}
