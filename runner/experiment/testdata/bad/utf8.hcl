# ERROR+1: invalid UTF-8; 0xff
model "aÿ" {
  whatever = 1
}
