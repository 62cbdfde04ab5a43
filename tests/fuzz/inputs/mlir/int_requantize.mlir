// The end of a quantised layer: 32-bit sums become 8-bit values, with a multiplier and a shift per channel.
// r = clamp(round(round((sum + bias) * multiplier / 2^31) / 2^shift) + zero point), rounding halves up.
//
//   tosajit run examples/int_requantize.mlir --input examples/int_sum.npy --input examples/int_bias.npy --print --check
func.func @requantize(%sum: tensor<?x4xi32>, %bias: tensor<1x4xi32>) -> tensor<?x4xi8> {
  %multiplier = "tosa.const"() <{values = dense<[[1073741824, 1518500250, 2147483647, 1200000000]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %shifts = "tosa.const"() <{values = dense<[[4, 7, 9, 0]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %zero_point = "tosa.const"() <{values = dense<-3> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %low = "tosa.const"() <{values = dense<-128> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %high = "tosa.const"() <{values = dense<127> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %by_2_31 = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %biased = tosa.add %sum, %bias : (tensor<?x4xi32>, tensor<1x4xi32>) -> tensor<?x4xi32>
  %scaled = tosa.mul %biased, %multiplier, %by_2_31 : (tensor<?x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<?x4xi32>
  %shifted = tosa.arithmetic_right_shift %scaled, %shifts {round = true} : (tensor<?x4xi32>, tensor<1x4xi32>) -> tensor<?x4xi32>
  %moved = tosa.add %shifted, %zero_point : (tensor<?x4xi32>, tensor<1x1xi32>) -> tensor<?x4xi32>
  %above = tosa.maximum %moved, %low : (tensor<?x4xi32>, tensor<1x1xi32>) -> tensor<?x4xi32>
  %within = tosa.minimum %above, %high : (tensor<?x4xi32>, tensor<1x1xi32>) -> tensor<?x4xi32>
  %narrow = tosa.cast %within : (tensor<?x4xi32>) -> tensor<?x4xi8>
  %result = tosa.clamp %narrow {min_val = -3 : i8, max_val = 100 : i8} : (tensor<?x4xi8>) -> tensor<?x4xi8> // ReLU, capped
  return %result : tensor<?x4xi8>
}
