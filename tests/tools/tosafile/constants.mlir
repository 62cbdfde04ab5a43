// What the examples do not have: constants of all kinds, bounds of a clamp in all types, words and flags, dynamic sizes, results that are read
// before they are given once the file's operators are turned around, and what is left to a host.
func.func @main(%x: tensor<?x3xf32>, %h: tensor<2x3xf16>, %i: tensor<2x3xi8>, %w: tensor<2x3xi32>)
    -> (tensor<?x3xf32>, tensor<2x3xf16>, tensor<2x3xi16>, tensor<2x3xi32>, tensor<3xi48>, tensor<2x3xi1>) {
  %none = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %two = "tosa.const"() <{values = dense<[[2.0, -0.0, 1.5]]> : tensor<1x3xf32>}> : () -> tensor<1x3xf32>
  %a = tosa.clamp %x {min_val = -1.5 : f32, max_val = 0x7F800000 : f32, nan_mode = IGNORE} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %b = tosa.mul %a, %two, %none : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<?x3xf32>
  %c = tosa.clamp %h {min_val = -2.5 : f16, max_val = 6.0 : f16} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %f = "tosa.const"() <{values = dense<[[0.25, 6.1e-5, 65504.0]]> : tensor<1x3xf16>}> : () -> tensor<1x3xf16>
  %d = tosa.maximum %c, %f {nan_mode = IGNORE} : (tensor<2x3xf16>, tensor<1x3xf16>) -> tensor<2x3xf16>
  %j = tosa.clamp %i {min_val = -7 : i8, max_val = 90 : i8} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %multiplier = "tosa.const"() <{values = dense<[1073741824, 2000000000, 1500000000]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %shift = "tosa.const"() <{values = dense<[20, 30, 35]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %in = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %out = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %k = tosa.rescale %j, %multiplier, %shift, %in, %out {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false}
      : (tensor<2x3xi8>, tensor<3xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi16>) -> tensor<2x3xi16>
  %by = "tosa.const"() <{values = dense<[[1], [31]]> : tensor<2x1xi32>}> : () -> tensor<2x1xi32>
  %s = tosa.arithmetic_right_shift %w, %by {round = true} : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %wide = "tosa.const"() <{values = dense<[-140737488355328, 140737488355327, -1]> : tensor<3xi48>}> : () -> tensor<3xi48>
  %l = tosa.identity %wide : (tensor<3xi48>) -> tensor<3xi48>
  %mask = "tosa.const"() <{values = dense<[[true, false, true]]> : tensor<1x3xi1>}> : () -> tensor<1x3xi1>
  %limit = "tosa.const"() <{values = dense<5> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %m = tosa.greater %s, %limit : (tensor<2x3xi32>, tensor<1x1xi32>) -> tensor<2x3xi1>
  %n = tosa.logical_xor %m, %mask : (tensor<2x3xi1>, tensor<1x3xi1>) -> tensor<2x3xi1>
  return %b, %d, %k, %s, %l, %n : tensor<?x3xf32>, tensor<2x3xf16>, tensor<2x3xi16>, tensor<2x3xi32>, tensor<3xi48>, tensor<2x3xi1>
}
