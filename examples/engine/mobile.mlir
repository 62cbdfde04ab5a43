// A quantised inverted residual block, as of MobileNet, for any number of images: expand, filter each channel, project, add.
// The convolutions are the engine's; rescaling, ReLU6 and the residual sum between them are tosajit's.
func.func @block(%x: tensor<?x6x6x8xi8>, %we: tensor<16x1x1x8xi8>, %be: tensor<16xi32>, %wd: tensor<3x3x16x1xi8>, %bd: tensor<16xi32>,
                 %wp: tensor<8x1x1x16xi8>, %bp: tensor<8xi32>) -> tensor<?x6x6x8xi8> {
  %x_zero = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %low = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %p_zero = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w_zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %sum_zero = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one_and_half = "tosa.const"() <{values = dense<1610612736> : tensor<1xi32>}> : () -> tensor<1xi32>
  %channels = "tosa.const"() <{values = dense<[1073741824, 1288490189, 2147483647, 1610612736, 1200000000, 1500000000, 1800000000, 2000000000]> : tensor<8xi32>}> : () -> tensor<8xi32>
  %down_7 = "tosa.const"() <{values = dense<37> : tensor<1xi8>}> : () -> tensor<1xi8>
  %down_each = "tosa.const"() <{values = dense<[37, 38, 39, 37, 38, 39, 37, 38]> : tensor<8xi8>}> : () -> tensor<8xi8>
  %up_10 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %down_11 = "tosa.const"() <{values = dense<41> : tensor<1xi8>}> : () -> tensor<1xi8>
  %e = tosa.conv2d %x, %we, %be, %x_zero, %w_zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x6x6x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x6x6x16xi32>
  %e8 = tosa.rescale %e, %one, %down_7, %sum_zero, %low {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x6x6x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x6x6x16xi8>
  %e6 = tosa.clamp %e8 {min_val = -128 : i8, max_val = 100 : i8} : (tensor<?x6x6x16xi8>) -> tensor<?x6x6x16xi8>
  %d = tosa.depthwise_conv2d %e6, %wd, %bd, %low, %w_zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<?x6x6x16xi8>, tensor<3x3x16x1xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x6x6x16xi32>
  %d8 = tosa.rescale %d, %one, %down_7, %sum_zero, %low {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x6x6x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x6x6x16xi8>
  %d6 = tosa.clamp %d8 {min_val = -128 : i8, max_val = 100 : i8} : (tensor<?x6x6x16xi8>) -> tensor<?x6x6x16xi8>
  %p = tosa.conv2d %d6, %wp, %bp, %low, %w_zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x6x6x16xi8>, tensor<8x1x1x16xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x6x6x8xi32>
  %p8 = tosa.rescale %p, %channels, %down_each, %sum_zero, %p_zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<?x6x6x8xi32>, tensor<8xi32>, tensor<8xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x6x6x8xi8>
  %p32 = tosa.rescale %p8, %one_and_half, %up_10, %p_zero, %sum_zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x6x6x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x6x6x8xi32>
  %x32 = tosa.rescale %x, %one, %up_10, %x_zero, %sum_zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x6x6x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x6x6x8xi32>
  %sum = tosa.add %p32, %x32 : (tensor<?x6x6x8xi32>, tensor<?x6x6x8xi32>) -> tensor<?x6x6x8xi32>
  %y = tosa.rescale %sum, %one, %down_11, %sum_zero, %x_zero {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x6x6x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x6x6x8xi8>
  return %y : tensor<?x6x6x8xi8>
}
