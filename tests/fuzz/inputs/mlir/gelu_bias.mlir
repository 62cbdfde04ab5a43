// GELU of a matrix plus one bias per column: y = x + bias, r = y/2 * (1 + erf(y / sqrt 2)).
// Sizes are known when the kernel is called. All of it becomes one pass over x.
//
//   tosajit run examples/gelu_bias.mlir --input examples/gelu_x.npy --input examples/gelu_bias.npy --print --check
func.func @gelu_bias(%x: tensor<?x?xf32>, %bias: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %sqrt_half = "tosa.const"() <{values = dense<0.707106769> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.add %x, %bias : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %scaled = tosa.mul %y, %sqrt_half, %shift : (tensor<?x?xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %erf = tosa.erf %scaled : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = tosa.add %erf, %one : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %halved = tosa.mul %y, %half, %shift : (tensor<?x?xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %result = tosa.mul %halved, %sum, %shift : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}
