# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps peers to AVX2 where TOSAJIT_CPU does so with tosajit. They read it when they are imported,
so this comes first. ONNX Runtime cannot be kept."""
import os

if os.environ.get("TOSAJIT_CPU") in ("x86-64-v3", "v3"):
    os.environ.update(NUMBA_CPU_NAME="haswell",
                      NUMBA_CPU_FEATURES="+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt",
                      ATEN_CPU_CAPABILITY="avx2", MKL_ENABLE_INSTRUCTIONS="AVX2",
                      NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR",
                      XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 "
                      "--xla_cpu_max_isa=AVX2")
