experiment "second" {} # ERROR: a second experiment block; testdata/base/base.hcl:1:1

model "agent" {
  simulated = {}
}
