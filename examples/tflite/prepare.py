# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFLite models with operators that Arm's converter does not have, written anew with those that it
has:

- sparse weights, which DENSIFY makes whole in each run, become the whole weights, which LiteRT has
computed; - Convolution2DTransposeBias of MediaPipe becomes TRANSPOSE_CONV, which takes a bias since
then."""
import struct

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

BUILTIN = schema.BuiltinOperator


def _add_constant(model, tensor, array):
    """The tensor becomes a constant with the array's elements."""
    buffer = schema.BufferT()
    buffer.data = np.frombuffer(array.tobytes(), np.uint8)
    model.buffers.append(buffer)
    tensor.buffer, tensor.sparsity = len(model.buffers) - 1, None


def _make_whole(model, graph, ops, path):
    interpreter = Interpreter(model_path=str(path), experimental_preserve_all_tensors=True,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    interpreter.allocate_tensors()
    interpreter.invoke()
    for op in ops:
        _add_constant(model, graph.tensors[op.outputs[0]], interpreter.get_tensor(op.outputs[0]))
        graph.operators.remove(op)


def _make_builtin(model, graph, op):
    """Its options are three words: 1 for a pad that keeps sizes, 2 for none, and strides along rows
    and columns."""
    padding, options = 0, schema.TransposeConvOptionsT()
    padding, options.strideW, options.strideH = struct.unpack("<3i", bytes(op.customOptions))
    options.padding = padding - 1
    sizes = schema.TensorT()
    sizes.name, sizes.shape, sizes.type = b"sizes", [4], schema.TensorType.INT32
    _add_constant(model, sizes, np.array(graph.tensors[op.outputs[0]].shape, np.int32))
    graph.tensors.append(sizes)
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = BUILTIN.TRANSPOSE_CONV
    code.version = 3
    model.operatorCodes.append(code)
    x, weights, bias = op.inputs
    op.opcodeIndex, op.inputs = len(model.operatorCodes) - 1, [len(graph.tensors) - 1, weights, x,
                                                               bias]
    op.customOptions, op.builtinOptions, op.builtinOptionsType = None, options, schema.BuiltinOptions.TransposeConvOptions


def prepare(path, work):
    """The path of the model that the converter is to take, and that of the one that LiteRT has
    operators for."""
    model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    graph = model.subgraphs[0]
    codes = [model.operatorCodes[op.opcodeIndex] for op in graph.operators]
    sparse = [op for op, code in zip(graph.operators, codes) if code.builtinCode == BUILTIN.DENSIFY]
    custom = [op for op, code in zip(graph.operators, codes)
              if code.customCode == b"Convolution2DTransposeBias"]
    if not sparse and not custom:
        return path, path
    if sparse:
        _make_whole(model, graph, sparse, path)
    for op in custom:
        _make_builtin(model, graph, op)
    builder = flatbuffers.Builder(path.stat().st_size)
    builder.Finish(model.Pack(builder), b"TFL3")
    work.mkdir(parents=True, exist_ok=True)
    made = work / f"{path.stem}.prepared.tflite"
    made.write_bytes(builder.Output())
    return made, made if custom else path
