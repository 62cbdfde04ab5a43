func.func @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = tosa.add %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
