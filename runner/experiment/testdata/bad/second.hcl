experiment "second" {} # ERROR: a second experiment block; testdata/base/base.hcl:1:1

model "agent" { # ERROR: model "agent" is declared twice; testdata/base/base.hcl:7:1
  simulated = {}
}
