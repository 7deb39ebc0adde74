model "agent" { # ERROR: model "agent" is declared twice; testdata/base/base.hcl:7:1
  simulated = {}
}
