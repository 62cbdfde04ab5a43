// Linked into state_test: a function that was compiled ahead of time.
func.func @exp(%a: tensor<?xf32>) -> tensor<?xf32> {
  %e = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<?xf32>
}
