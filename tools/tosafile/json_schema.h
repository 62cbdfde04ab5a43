/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names that the JSON form of a TOSA file has, in the order of TOSA 1.1's field numbers. It is
 * in the language of flatbuffers' schemas, but for two things: operators are those of attributes.h,
 * and attributes are written as "Name{fields}", in the order of their operators. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_JSON_SCHEMA_H
#define TOSAJIT_TOOLS_TOSAFILE_JSON_SCHEMA_H

/* Numbers from 0 are left out. */
static const char json_enums[] = R"fbs(
enum DType: uint32 {
  UNKNOWN, BOOL, INT4, INT8, INT16, INT32, INT48, FP32, FP16, BF16, SHAPE, FP8E4M3, FP8E5M2,
  FP6E2M3, FP6E3M2, FP4E2M1, FP8UE8M0, INT64, MXINT8
}
enum ResizeMode: uint32 {UNKNOWN, NEAREST, BILINEAR}
enum NanPropagationMode: uint32 {UNKNOWN, PROPAGATE, IGNORE}
enum RoundingMode: uint32 {UNKNOWN, SINGLE_ROUND, INEXACT_ROUND, DOUBLE_ROUND}
enum BlockSize: uint32 {UNKNOWN, BLOCK_SIZE_1, BLOCK_SIZE_32 = 32}
enum BlockShape: uint32 {UNKNOWN, BLOCK_SHAPE_32 = 32}
)fbs";

static const char json_attributes[] = R"fbs(
ArgMax{axis: int32; nan_mode: NanPropagationMode;} AvgPool2d{kernel: [int32]; stride: [int32];
pad: [int32]; acc_type: DType;} Conv2d{pad: [int32]; stride: [int32]; dilation: [int32];
local_bound: bool; acc_type: DType;} Conv3d{pad: [int32]; stride: [int32]; dilation: [int32];
local_bound: bool; acc_type: DType;} DepthwiseConv2d{pad: [int32]; stride: [int32]; dilation:
[int32]; local_bound: bool; acc_type: DType;} FFT2d{inverse: bool; local_bound: bool;} MatMul{}
MaxPool2d{kernel: [int32]; stride: [int32]; pad: [int32]; nan_mode: NanPropagationMode;}
RFFT2d{local_bound: bool;} TransposeConv2d{out_pad: [int32]; stride: [int32]; local_bound: bool;
acc_type: DType;} Clamp{min_val: [ubyte] (force_align: 8); max_val: [ubyte] (force_align: 8);
nan_mode: NanPropagationMode;} Erf{} Sigmoid{} Tanh{} Add{} ArithmeticRightShift{round: bool;}
BitwiseAnd{} BitwiseOr{} BitwiseXor{} IntDiv{} LogicalAnd{} LogicalLeftShift{} LogicalRightShift{}
LogicalOr{} LogicalXor{} Maximum{nan_mode: NanPropagationMode;} Minimum{nan_mode:
NanPropagationMode;} Mul{} Pow{} Sub{} Table{} Abs{} BitwiseNot{} Ceil{} Clz{} Cos{} Exp{} Floor{}
Log{} LogicalNot{} Negate{} Reciprocal{} Rsqrt{} Sin{} Select{} Equal{} Greater{} GreaterEqual{}
ReduceAll{axis: int32;} ReduceAny{axis: int32;} ReduceMax{axis: int32; nan_mode:
NanPropagationMode;} ReduceMin{axis: int32; nan_mode: NanPropagationMode;} ReduceProduct{axis:
int32;} ReduceSum{axis: int32;} Concat{axis: int32;} Pad{} Reshape{} Reverse{axis: int32;} Slice{}
Tile{} Transpose{perms: [int32];} Gather{} Scatter{} Resize{mode: ResizeMode;} Cast{}
Rescale{scale32: bool; rounding_mode: RoundingMode; per_channel: bool; input_unsigned: bool;
output_unsigned: bool;} Const{} Identity{} Custom{operator_name: string; domain_name: string;
implementation_attrs: [ubyte];} CondIf{then_graph: string; else_graph: string;}
WhileLoop{cond_graph: string; body_graph: string;} Variable{} VariableWrite{} VariableRead{}
ConstShape{} MatMulTBlockScaled{block_size: BlockSize;} CastFromBlockScaled{block_size:
BlockSize;} CastToBlockScaled{block_size: BlockSize;} Dim{axis: int32;} ConcatShape{} AddShape{}
SubShape{} MulShape{} SliceShape{} Exp2Shape{} Log2CeilShape{} Log2FloorShape{} MaxShape{}
MinShape{} ModShape{} DivCeilShape{} DivFloorShape{} AssertEqualShape{allow_broadcast: bool;}
Conv2dBlockScaled{block_size: BlockSize;} MaxPool2dAdaptive{nan_mode: NanPropagationMode;}
AvgPool2dAdaptive{acc_type: DType;} ReshapeBlockScaled{block_size: BlockSize;}
RowGatherBlockScaled{block_size: BlockSize;} RowGather{} MatMulT{}
)fbs";

static const char json_tables[] = R"fbs(
table Version {_major: int32 = -1; _minor: int32 = -1; _patch: int32 = -1; _draft: bool = true;}
table SoftwareVersion {
  _major: int32 = -1; _minor: int32 = -1; _micro: int32 = -1; _modifier: string;
}
table SerializationCompatibility {min_reader_version: SoftwareVersion; features: uint64;}
table TosaTensor {
  name: string; shape: [int32]; type: DType; data: [ubyte] (force_align: 8); variable: bool;
  is_unranked: bool; variable_name: string; offset: ulong; size: ulong; scale_type: DType;
  scale_data: [ubyte] (force_align: 8); block_shape: BlockShape; scale_offset: ulong;
  scale_size: ulong;
}
table TosaShape {name: string; rank: uint32; data: [ubyte] (force_align: 8);}
table OpLocation {text: string;}
table TosaOperator {
  op: Op; attribute: Attribute; inputs: [string]; outputs: [string]; location: OpLocation;
}
table TosaBasicBlock {
  name: string; operators: [TosaOperator]; tensors: [TosaTensor]; inputs: [string];
  outputs: [string]; shapes: [TosaShape];
}
table TosaRegion {name: string; blocks: [TosaBasicBlock];}
table TosaGraph {
  version: Version (required); regions: [TosaRegion]; software_version: SoftwareVersion;
  compatibility: SerializationCompatibility;
}
root_type TosaGraph;
file_identifier "TOSA";
)fbs";

#endif
