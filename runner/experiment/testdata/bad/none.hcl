# ALONE
# NOWHERE ERROR: no experiment block; Add experiment "name"

model "a" {
  simulated = {}
}
