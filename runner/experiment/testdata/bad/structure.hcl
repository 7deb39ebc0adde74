seed = 7 # ERROR: no attribute "seed" at the top level; seed belongs in an experiment block
model = {} # ERROR: no attribute "model" at the top level; model is a block

modell "a" { # ERROR: no block type "modell"; Did you mean "model"?
  simulated = {}
}

freeform { # ERROR: no block type "freeform"; freeform stands in a run block
}

model { # ERROR: a model needs a label; Write model "name"
  simulated = {}
}

model "a" "b" { # ERROR: a model takes one label, this one has 2
  simulated = {}
}

model "gpt-4.1" { # ERROR: a model cannot be called "gpt-4.1"; Did you mean "gpt-4-1"?
  simulated = {}
}

model "b" {
  temprature = 0 # ERROR: a model has no attribute "temprature"; Did you mean "temperature"?
  replicates = 2 # ERROR: a model has no attribute "replicates"; replicates belongs in a run block
  frobnicate = 1 # ERROR: a model has no attribute "frobnicate"; Possible: endpoint, simulated, id
  simulated  = {}
  price { # ERROR: price is an attribute, not a block; Write price =
    input = 1
  }
  model "c" { # ERROR: no block "model" in a model; a model stands at the top level
  }
}
