/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts of Python's help() for functions and classes in C, in NumPy's form. Python reads a first
 * line and "--" as the signature. tests/tools/python_help_test.py runs every example. */
#ifndef TOSAJIT_TOOLS_PYTHON_HELP_H
#define TOSAJIT_TOOLS_PYTHON_HELP_H

/* A line here is a line there. */
/* clang-format off */
#define HELP_OPERANDS \
    "local_dict, global_dict : mapping, optional\n" \
    "    Where names are looked up that are not given in `operands`. Without them the\n" \
    "    caller's variables are.\n" \
    "out : array, or tuple of arrays, optional\n" \
    "    Where the result goes. It has the result's shape, and may be an operand, or\n" \
    "    a view with strides.\n" \
    "order : {'K', 'A', 'C'}, optional\n" \
    "    How a new result is laid. 'K', NumPy's own, is as the operands are.\n" \
    "casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional\n" \
    "    Which conversions into `out` are allowed, by NumPy's words.\n"

#define HELP_ERRORS \
    "\n" \
    "Raises\n" \
    "------\n" \
    "tosajit.ArgumentError\n" \
    "    The text is wrong, or a name in it is unknown. It is a ValueError, too.\n" \
    "tosajit.ShapeError\n" \
    "    Sizes do not broadcast, or `out` has another shape.\n" \
    "tosajit.ElementTypeError\n" \
    "    The operation is not defined for these elements, or `casting` forbids it.\n"

#define HELP_EVALUATE \
    "evaluate(text, /, local_dict=None, global_dict=None, out=None, order='K', " \
    "casting='same_kind', **operands)\n" \
    "--\n" \
    "\n" \
    "Compute a text with the types that the arrays have, in NumPy's manner.\n" \
    "\n" \
    "The first result of a text comes from precompiled operations. What comes again\n" \
    "is compiled in the background, with the same bits. Kernels are remembered by\n" \
    "text, element types and numbers of dimensions.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "text : str\n" \
    "    An expression of Python with NumPy's meaning, as \"x * sigmoid(x + b)\".\n" \
    "    Statements, \"s = x + b; d = x - b\", give several results.\n" \
    HELP_OPERANDS \
    "**operands\n" \
    "    Arrays of NumPy, PyTorch or jax, all else with the buffer protocol or DLPack,\n" \
    "    and numbers, by the names of the text. Sizes of 1 repeat. Nothing is copied.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "array or tuple of arrays\n" \
    "    Of the kind of the first array among the operands; `out` if that is given.\n" \
    HELP_ERRORS \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> x = np.array([[0, 1, 2], [3, 4, 5]], np.float32)\n" \
    ">>> b = np.array([[1], [2]], np.float32)\n" \
    ">>> tosajit.evaluate(\"where(x > 2, x * b, 0)\", x=x, b=b)\n" \
    "array([[ 0.,  0.,  0.],\n" \
    "       [ 6.,  8., 10.]], dtype=float32)\n" \
    ">>> tosajit.evaluate(\"x.sum(axis=1)\")\n" \
    "array([ 3., 12.], dtype=float32)"

#define HELP_RE_EVALUATE \
    "re_evaluate(local_dict=None, global_dict=None, out=None, order='K', " \
    "casting='same_kind', **operands)\n" \
    "--\n" \
    "\n" \
    "What this thread evaluated last, again, with other operands.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    HELP_OPERANDS \
    "**operands\n" \
    "    As those of `evaluate`.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "array or tuple of arrays\n" \
    "    As that of `evaluate`.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> x = np.arange(3.0)\n" \
    ">>> tosajit.evaluate(\"2 * x + 1\")\n" \
    "array([1., 3., 5.])\n" \
    ">>> tosajit.re_evaluate(local_dict={\"x\": x * 10})\n" \
    "array([ 1., 21., 41.])"

#define HELP_COMPILE \
    "compile(text)\n" \
    "--\n" \
    "\n" \
    "A kernel of a text that has the types of its operands.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "text : str\n" \
    "    In the library's own language: \"y = x * sigmoid(x + b) : f32[?,64], f32[1,64]\".\n" \
    "    A ? is a size that each call decides.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "tosajit.Kernel\n" \
    "    It computes at once, and is compiled in the background.\n" \
    "\n" \
    "Raises\n" \
    "------\n" \
    "tosajit.ArgumentError\n" \
    "    The text is wrong. The message shows where.\n" \
    "tosajit.ShapeError\n" \
    "    Sizes that the text has do not fit.\n" \
    "tosajit.ElementTypeError\n" \
    "    An operation is not defined for these elements.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x * b + 1 : f32[?,2], f32[1,2]\")\n" \
    ">>> kernel(np.ones((3, 2), np.float32), np.array([[2, 3]], np.float32))\n" \
    "array([[3., 4.],\n" \
    "       [3., 4.],\n" \
    "       [3., 4.]], dtype=float32)"

#define HELP_LOAD \
    "load(image)\n" \
    "--\n" \
    "\n" \
    "A kernel of an image, without compiling.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "image : path or bytes\n" \
    "    What `Kernel.save` has written, or `Kernel.to_bytes` has given. An image is\n" \
    "    code: take it from people you trust.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "tosajit.Kernel\n" \
    "\n" \
    "Raises\n" \
    "------\n" \
    "tosajit.ArgumentError\n" \
    "    It is no image, or of another version.\n" \
    "OSError\n" \
    "    The file cannot be read.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> image = tosajit.compile(\"y = x + x : f32[?]\").to_bytes()\n" \
    ">>> tosajit.load(image)(np.ones(3, np.float32))\n" \
    "array([2., 2., 2.], dtype=float32)"

#define HELP_ENGINE \
    "Engine(*, threads=1, accuracy='reproducible', cache=None, cpu=None, " \
    "backend='background', max_bytes=0)\n" \
    "--\n" \
    "\n" \
    "Compiles kernels and owns them. The module's own functions use one engine.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "threads : int, optional\n" \
    "    How many threads divide a long run. Bits do not depend on it.\n" \
    "accuracy : {'reproducible', 'exact', 'contracted'}, optional\n" \
    "    Functions are at most 1 ulp off, or correctly rounded in f32, which takes longer.\n" \
    "    'contracted' also rounds a product once with the one sum that reads it: x*x - y*y\n" \
    "    need not be 0 where x is y. All have the same bits on every CPU.\n" \
    "cache : path, optional\n" \
    "    A directory for code, in which later processes find it.\n" \
    "cpu : str, optional\n" \
    "    Code for that CPU, as 'v3' for x86-64-v3. This machine's without it.\n" \
    "backend : {'background', 'auto', 'native', 'precompiled', 'interpret'}, optional\n" \
    "    Answer at once and compile in a thread; compile first where that is possible;\n" \
    "    compile or fail; never compile.\n" \
    "max_bytes : int, optional\n" \
    "    The most that living kernels may take; 0 is no limit.\n" \
    "\n" \
    "Raises\n" \
    "------\n" \
    "tosajit.ArgumentError\n" \
    "    An option is wrong.\n" \
    "tosajit.CompileError\n" \
    "    This machine cannot do what `backend` or `cpu` asks for.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> engine = tosajit.Engine(threads=2, accuracy=\"exact\")\n" \
    ">>> engine.evaluate(\"exp(x)\", x=np.zeros(3))\n" \
    "array([1., 1., 1.])\n" \
    ">>> engine.options[\"accuracy\"], engine.threads\n" \
    "('exact', 2)"

#define HELP_KERNEL \
    "A compiled text. Call it with its operands, by position or by name.\n" \
    "\n" \
    "`compile`, `load` and functions of `jit` make kernels. Any number of threads may\n" \
    "call one. Calls take `out=`, an array for the result, or a tuple of several.\n" \
    "\n" \
    "Raises\n" \
    "------\n" \
    "tosajit.ShapeError\n" \
    "    A size is not what the kernel was compiled for.\n" \
    "tosajit.ElementTypeError\n" \
    "    An operand has other elements.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x * 2 : f32[?]\")\n" \
    ">>> kernel(np.ones(2, np.float32))\n" \
    "array([2., 2.], dtype=float32)\n" \
    ">>> out = np.empty(2, np.float32)\n" \
    ">>> kernel(x=np.ones(2, np.float32), out=out) is out\n" \
    "True\n" \
    ">>> kernel.operands\n" \
    "(('x', 'tensor<?xf32>'),)"

#define HELP_PLAN \
    "plan(view='text')\n" \
    "--\n" \
    "\n" \
    "How the kernel is computed.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "view : {'text', 'json', 'svg', 'html', 'nest', 'ir', 'asm', 'passes'}, optional\n" \
    "    Which operand repeats where, for people, programs, as a drawing, or as a\n" \
    "    page; the loops; LLVM's code; the machine's; what each pass has changed.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "str\n" \
    "\n" \
    "Raises\n" \
    "------\n" \
    "tosajit.ArgumentError\n" \
    "    There is no such view.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x + b : f32[?,4], f32[1,4]\")\n" \
    ">>> kernel.plan(\"svg\")[:4]\n" \
    "'<svg'"

#define HELP_EXPLAIN \
    "explain(*operands)\n" \
    "--\n" \
    "\n" \
    "What a call with these operands would decide: loops, tiles, threads, cost.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "*operands : array\n" \
    "    As those of a call.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "str\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x + x : f32[?]\")\n" \
    ">>> isinstance(kernel.explain(np.ones(1000, np.float32)), str)\n" \
    "True"

#define HELP_SAVE \
    "save(path)\n" \
    "--\n" \
    "\n" \
    "Write a kernel image, which `load` and tosajit-runtime read.\n" \
    "\n" \
    "Parameters\n" \
    "----------\n" \
    "path : path\n" \
    "    A file, which is made or replaced.\n" \
    "\n" \
    "Raises\n" \
    "------\n" \
    "OSError\n" \
    "    The file cannot be written. FileNotFoundError and the like, with errno.\n" \
    "tosajit.ArgumentError\n" \
    "    The path is that of a device or pipe.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import os, tempfile, tosajit\n" \
    ">>> path = os.path.join(tempfile.mkdtemp(), \"twice.image\")\n" \
    ">>> tosajit.compile(\"y = x + x : f32[?]\").save(path)\n" \
    ">>> tosajit.load(path).operands\n" \
    "(('x', 'tensor<?xf32>'),)"

#define HELP_TO_BYTES \
    "to_bytes()\n" \
    "--\n" \
    "\n" \
    "A kernel image, which `load` reads.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "bytes\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> type(tosajit.compile(\"y = x + x : f32[?]\").to_bytes())\n" \
    "<class 'bytes'>"

#define HELP_WAIT \
    "wait()\n" \
    "--\n" \
    "\n" \
    "Wait until the kernel is compiled, if that is possible.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "tosajit.Kernel\n" \
    "    The kernel itself.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x + x : f32[?]\").wait()\n" \
    ">>> kernel.computes in (\"compiled\", \"precompiled\")\n" \
    "True"

#define HELP_WAIT_ALL \
    "wait()\n" \
    "--\n" \
    "\n" \
    "Wait until all that is compiled in the background is.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x + x : f32[?]\")\n" \
    ">>> tosajit.wait()\n" \
    ">>> kernel.computes in (\"compiled\", \"precompiled\")\n" \
    "True"

#define HELP_ARRAY \
    "A result where no operand is an array of NumPy or a tensor.\n" \
    "\n" \
    "It is dense memory, which numpy.asarray, memoryview and torch.from_dlpack take\n" \
    "without a copy.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import array, tosajit\n" \
    ">>> y = tosajit.evaluate(\"2 * x\", x=array.array(\"f\", [1, 2]))\n" \
    ">>> y\n" \
    "tosajit.Array(shape=(2,), dtype='f32')\n" \
    ">>> y.tolist()\n" \
    "[2.0, 4.0]"

#define HELP_TOLIST \
    "tolist()\n" \
    "--\n" \
    "\n" \
    "The elements as nested lists, or as one number.\n" \
    "\n" \
    "Returns\n" \
    "-------\n" \
    "list, float, int or bool\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import array, tosajit\n" \
    ">>> tosajit.evaluate(\"x[None] + 1\", x=array.array(\"i\", [1, 2])).tolist()\n" \
    "[[2, 3]]"

#define HELP_ERROR \
    "What the library refused. Each other error is one of these.\n" \
    "\n" \
    "status, operation, operand, result, dimension and sizes say where, or are None.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> try:\n" \
    "...     tosajit.evaluate(\"x + y\", x=np.ones((2, 3)), y=np.ones((2, 4)))\n" \
    "... except tosajit.Error as error:\n" \
    "...     error.status, error.operand, error.dimension, error.sizes\n" \
    "('TOSAJIT_SHAPE_MISMATCH', 1, 1, (4, 3))"

#define HELP_ARGUMENT_ERROR \
    "A text, a value or an option is wrong. It is a ValueError, too.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> tosajit.Engine(accuracy=\"good\")\n" \
    "Traceback (most recent call last):\n" \
    "tosajit.ArgumentError: accuracy: 'good' is none of exact, reproducible, contracted"

#define HELP_SHAPE_ERROR \
    "Sizes, strides or memory do not fit. It is a ValueError, too.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> try:\n" \
    "...     tosajit.evaluate(\"x + y\", x=np.ones(3), y=np.ones(4))\n" \
    "... except tosajit.ShapeError as error:\n" \
    "...     print(str(error).partition(\" (\")[0])\n" \
    "operand y dimension 0: size 4 does not broadcast with 3 of operand x dimension 0"

#define HELP_TYPE_ERROR \
    "An operation is not defined for these elements. It is a TypeError, too.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = x + x : f32[?]\")\n" \
    ">>> try:\n" \
    "...     kernel(np.ones(3, np.int32))\n" \
    "... except tosajit.ElementTypeError as error:\n" \
    "...     print(str(error).partition(\",\")[0])\n" \
    "operand x has elements of i32"

#define HELP_MEMORY_ERROR \
    "There was too little memory. It is a MemoryError, too.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> issubclass(tosajit.OutOfMemoryError, MemoryError)\n" \
    "True"

#define HELP_COMPILE_ERROR \
    "Code could not be made or run. It is a RuntimeError, too.\n" \
    "\n" \
    "An engine with backend='native' raises it where it cannot compile.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import tosajit\n" \
    ">>> issubclass(tosajit.CompileError, RuntimeError)\n" \
    "True"

#define HELP_INDEX_ERROR \
    "An index is outside of what it counts. It is an IndexError, too.\n" \
    "\n" \
    "Examples\n" \
    "--------\n" \
    ">>> import numpy as np, tosajit\n" \
    ">>> kernel = tosajit.compile(\"y = take(x, i, 0) : f32[?], i32[?]\")\n" \
    ">>> try:\n" \
    "...     kernel(np.ones(3, np.float32), np.array([9], np.int32))\n" \
    "... except tosajit.IndexOutOfRangeError as error:\n" \
    "...     print(str(error).partition(\": \")[2])\n" \
    "index 9 of %i is not in -3..2; the indexed dimension has 3 elements in this call"

/* clang-format on */
#endif
