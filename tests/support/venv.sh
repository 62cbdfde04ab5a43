# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Environments of Python for tests, sourced. They have no pip of their own, which would take four
# seconds of a processor each: that of the Python that makes the first one serves all.

# new_venv PYTHON FOLDER: an empty one. PYTHON is the program that it runs.
new_venv() { "$1" -m venv --clear --without-pip "$2"; }

# pip_into PYTHON FOLDER WORD...: `pip install WORD...` by PYTHON's pip, for the Python of FOLDER.
pip_into() {
    venv_pip=$1 venv_python=$2/bin/python
    shift 2
    "$venv_pip" -m pip --disable-pip-version-check --python "$venv_python" install --quiet "$@"
}

# keep_bytecode FOLDER: what Python compiles lies there from now on, rather than in the sources. So
# pip need not compile what nobody imports (--no-compile).
keep_bytecode() { export PYTHONPYCACHEPREFIX="$1" PYTHONDONTWRITEBYTECODE=""; }
