include = [
  "../base/base.hcl",
  "nothing.hcl",           # ERROR: cannot read testdata/bad/nothing.hcl: no such file
  "names",                 # ERROR: cannot read testdata/bad/names: no such file; Did you mean "testdata/bad/names.hcl"?
  lower("X.hcl"),          # ERROR: an include must be a plain text
  "empty",                 # ERROR: no experiment file in testdata/bad/empty
]
