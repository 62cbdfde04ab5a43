// A quantised residual connection and its activation: r = table[a * scale_a + b * scale_b], all in 8 bits.
// Both operands are brought to one scale in 32 bits, b with a multiplier and a shift per channel; the sum goes back to 8 bits,
// and a table of 256 entries, given when called, is the activation. All of it becomes one pass.
//
//   tosajit run examples/quant_residual.mlir --input examples/quant_a.npy --input examples/quant_b.npy \
//       --input examples/quant_table.npy --print --check
func.func @residual(%a: tensor<?x?x4xi8>, %b: tensor<?x?x4xi8>, %table: tensor<256xi8>) -> tensor<?x?x4xi8> {
  %a_multiplier = "tosa.const"() <{values = dense<1518500250> : tensor<1xi32>}> : () -> tensor<1xi32>
  %a_shift = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a_zero = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b_multiplier = "tosa.const"() <{values = dense<[1073741824, 1288490189, 2147483647, 1610612736]> : tensor<4xi32>}> : () -> tensor<4xi32>
  %b_shift = "tosa.const"() <{values = dense<[10, 12, 11, 13]> : tensor<4xi8>}> : () -> tensor<4xi8>
  %b_zero = "tosa.const"() <{values = dense<17> : tensor<1xi8>}> : () -> tensor<1xi8>
  %sum_zero = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_multiplier = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r_shift = "tosa.const"() <{values = dense<51> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r_zero = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a32 = tosa.rescale %a, %a_multiplier, %a_shift, %a_zero, %sum_zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x?x4xi32>
  %b32 = tosa.rescale %b, %b_multiplier, %b_shift, %b_zero, %sum_zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<?x?x4xi8>, tensor<4xi32>, tensor<4xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x?x4xi32>
  %sum = tosa.add %a32, %b32 : (tensor<?x?x4xi32>, tensor<?x?x4xi32>) -> tensor<?x?x4xi32>
  %narrow = tosa.rescale %sum, %r_multiplier, %r_shift, %sum_zero, %r_zero {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x?x4xi8>
  %result = tosa.table %narrow, %table : (tensor<?x?x4xi8>, tensor<256xi8>) -> tensor<?x?x4xi8>
  return %result : tensor<?x?x4xi8>
}
