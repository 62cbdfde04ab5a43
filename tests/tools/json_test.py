# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --json prints is JSON, and has the members that docs/json.md shows; judged by Python's
reader.

    python3 tests/tools/json_test.py build/tools/tosajit .

In: the built command and the source directory. Out: a line per failed expectation; exit code 1 if
there is one.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

tool, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = []


def run(words, code=0, text=None):
    done = subprocess.run([tool, *words], capture_output=True, cwd=root, input=text)
    if done.returncode != code:
        failures.append(f"{words}: exit code {done.returncode}, expected {code}: {done.stderr!r}")
    return done


def read(words, code=0, text=None):
    """The object that a command prints, in one line, without a word on standard error."""
    done = run(words, code, text)
    line = done.stdout.decode()
    if line.count("\n") != 1 or done.stderr:
        failures.append(f"{words}: more than a line, or words on standard error: {done.stderr!r}")

    def refuse(name):  # NaN and Infinity, which Python reads and JSON does not have
        failures.append(f"{words}: {name} is not JSON")

    def unique(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            failures.append(f"{words}: a key twice in {pairs}")
        return dict(pairs)

    try:
        return json.loads(line, parse_constant=refuse, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        sys.exit("\n".join([*failures, f"{words}: {error}: {line!r}"]))


def differ(shown, found, path):
    """Where two values have other members or other kinds; null may stand for anything."""
    if shown is None or found is None:
        return []
    if isinstance(shown, dict) and isinstance(found, dict):
        here = ([f"{path}: members {sorted(set(shown) ^ set(found))}"] if set(shown) != set(found)
                else [])
        return here + [d for k in shown.keys() & found.keys()
                       for d in differ(shown[k], found[k], f"{path}.{k}")]
    if isinstance(shown, list) and isinstance(found, list):
        if bool(shown) != bool(found):
            return [f"{path}: empty in one of the two"]
        return differ(shown[0], found[0], f"{path}[0]") if shown else []
    number = isinstance(shown, (int, float)) and isinstance(found, (int, float))
    same = type(shown) is type(found) or (number and bool not in (type(shown), type(found)))
    return [] if same else [f"{path}: {shown!r} in the page, found {found!r}"]


work = tempfile.TemporaryDirectory()
page = open(f"{root}/docs/json.md").read()
sections = re.findall(r"^## (\w+)\n\n    tosajit ([^\n]*)\n\n```json\n(.*?)\n```", page,
                      re.M | re.S)
takers = {name for name in re.findall(r"^  (\w+)  ", run(["--help"]).stdout.decode(), re.M)
          if name not in ("tosajit", "echo")
          and b"--json" in run([name, "--help"]).stdout}
if takers != {name for name, _, _ in sections} or len(takers) < 8:
    failures.append(f"docs/json.md has {[name for name, _, _ in sections]}, --json is taken by "
                    f"{sorted(takers)}")
for name, command, shown in sections:
    words = [f"{work.name}/{word}" if word in ("gelu.o", "gelu.h") else word
             for word in command.split()]
    failures += differ(json.loads(shown), read(words), name)

# Text is quoted, whatever is in it, and so are numbers that JSON does not have.
odd = ('func.func @"a\\22b\\0A\\5Cc"(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : '
       'tensor<?xf32> }')
found = read(["verify", "--expr", odd, "--json"])["functions"][0]["function"]
if found != r'a"b\0A\5Cc':
    failures.append(f"a name with a quote: {found!r}")
found = read(["verify", "-", "--json"], 1, b"func.func @f() { \xff\xfe }")
if not any(f["severity"] == "error" and f["line"] == 1 for f in found["findings"]):
    failures.append(f"bytes that are no UTF-8: {found}")
found = read(["verify", "--expr", "y = x +\n unheardof(x) : f32[?]", "--json"], 1)["findings"]
if [(f["file"], f["line"], f["column"], f["message"])
    for f in found] != [("<expr>", 2, 2, "there is no op unheardof")]:
    failures.append(f"an expression that is wrong: {found}")
infinite = f"{work.name}/infinite.npy"
with open(infinite, "wb") as file:
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }".ljust(117) + "\n"
    file.write(b"\x93NUMPY\1\0\x76\0" + header.encode()
               + bytes.fromhex("0000807f 0000c07f 0000803f"))
found = read(["run", "--expr", "y = x : f32[?]", "--input", infinite, "--print",
              "--json"])["results"][0]
if found["elements"] != [None, None, 1] or found["largest"] is not None or found["nan"] != 1:
    failures.append(f"infinity, NaN, 1: {found}")

# All errors of a function, each at its place.
wrong = b"""func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %b = "math.exp"(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %c = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi8>
  %d = tosa.ceil %c : (tensor<?xi8>) -> tensor<?xi8>
  return %b : tensor<?xf32>
}
"""
found = read(["verify", "-", "--json"], 1, wrong)
if ([(f["line"], f["column"]) for f in found["findings"]] != [(2, 8), (3, 8), (4, 8)]
    or found["functions"][0]["ok"]):
    failures.append(f"three errors: {found}")

many = "".join(f'  %v{k + 1} = "math.exp"(%v{k}) : (tensor<?xf32>) -> tensor<?xf32>\n'
               for k in range(1000))
many = (f"func.func @f(%v0: tensor<?xf32>) -> tensor<?xf32> {{\n{many}  return %v9 : "
        f"tensor<?xf32>\n}}\n")
found = read(["verify", "-", "--json"], 1, many.encode())["findings"]
if (len(found) != 21 or "after 20 errors" not in found[-1]["message"]
    or "in TOSA it is tosa.exp" not in found[0]["message"]):
    failures.append(f"a thousand errors: {len(found)}, {found[-1]}")

# Two things cannot go to standard output, and an error leaves nothing there.
example = ["examples/gelu_bias.mlir"]
for words in (["plan", *example, "--json", "--svg", "-"], ["ops", "--json", "--markdown"],
              ["compile", *example, "-o", "-", "--header", "x.h", "--json"],
              ["run", *example, "--input", "a", "--input", "b", "--output", "-", "--json"]):
    if run(words, 2).stdout:
        failures.append(f"{words}: something on standard output")
for words in (["plan", "nowhere.mlir", "--json"],
              ["run", *example, "--input", "a", "--input", "b", "--json"]):
    if run(words, 1).stdout:
        failures.append(f"{words}: something on standard output")

for failure in failures:
    print(failure)
sys.exit(bool(failures))
