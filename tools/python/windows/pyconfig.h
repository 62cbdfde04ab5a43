/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers to Python's headers about a system, for Windows on x86-64 by mingw-w64: a build from
 * Linux has Linux's headers of Python, which are the same on all systems but for this file. Of the
 * limited API no more is needed. */
#ifndef TOSAJIT_TOOLS_PYTHON_WINDOWS_PYCONFIG_H
#define TOSAJIT_TOOLS_PYTHON_WINDOWS_PYCONFIG_H

#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define NT_THREADS
#define WITH_THREAD
#define HAVE_DECLSPEC_DLL
#define HAVE_LONG_LONG 1
#define HAVE_STDARG_PROTOTYPES
#define HAVE_UINTPTR_T 1
#define HAVE_INTPTR_T 1
#define HAVE_STDINT_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STRING_H 1
#define HAVE_ERRNO_H 1
#define HAVE_WCHAR_H 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_SIZE_T 8

#endif
