// Two functions; the first has several results and a mask of i1.
//
//   tosajit run examples/int_mask.mlir --entry split --input examples/int_sum.npy --input examples/int_limit.npy --print
func.func @split(%a: tensor<?x4xi32>, %limit: tensor<?x1xi32>) -> (tensor<?x4xi1>, tensor<?x4xi32>, tensor<?x4xi32>) {
  %columns = "tosa.const"() <{values = dense<[[true, false, true, true]]> : tensor<1x4xi1>}> : () -> tensor<1x4xi1>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %large = tosa.greater %a, %limit : (tensor<?x4xi32>, tensor<?x1xi32>) -> tensor<?x4xi1>
  %chosen = tosa.logical_and %large, %columns : (tensor<?x4xi1>, tensor<1x4xi1>) -> tensor<?x4xi1>
  %kept = tosa.select %chosen, %a, %zero : (tensor<?x4xi1>, tensor<?x4xi32>, tensor<1x1xi32>) -> tensor<?x4xi32>
  %zeros = tosa.clz %kept : (tensor<?x4xi32>) -> tensor<?x4xi32>
  return %chosen, %kept, %zeros : tensor<?x4xi1>, tensor<?x4xi32>, tensor<?x4xi32>
}

// Saturating: the negative of -128 is 127.
func.func @flip(%a: tensor<?xi8>) -> tensor<?xi8> {
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %inverse = tosa.negate %a, %zero, %zero : (tensor<?xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %inverse : tensor<?xi8>
}
