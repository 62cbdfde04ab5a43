# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of ONNX Runtime whose elementwise parts, norms and softmax are computed by tosajit.

    import tosajit.onnxruntime
    session = tosajit.onnxruntime.session("model.onnx")
    session.run(None, {"x": x})

The model is optimised by ONNX Runtime and converted by the command `tosajit onnx`, once: what comes of that is kept in a folder, from
which later processes take it. Its weights are in a file of their own, which sessions map and do not copy.
"""
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import onnxruntime as _ort

import tosajit as _tosajit

__all__ = ["session"]
_HERE = os.path.dirname(os.path.abspath(__file__))
_LOOK = "install it with tosajit, or name it by the variable %s"


def _find(variable, places, what):
    """A file that a variable names, or the first one that is there."""
    named = os.environ.get(variable)
    for path in [named] if named else places:
        if path and os.path.isfile(path):
            return os.path.abspath(path)
    raise FileNotFoundError("%s: %s is not there; %s" % (named or what, what, _LOOK % variable))


def _command():
    places = [os.path.join(_HERE, "tosajit"), os.path.join(_HERE, "../../tosajit"), os.path.join(_HERE, "../../../../bin/tosajit")]
    return _find("TOSAJIT_COMMAND", places + [shutil.which("tosajit")], "the command tosajit")


def _operators():
    name = "libtosajit-onnxruntime.so"
    folders = ["_onnxruntime", "../../onnxruntime", "../../../tosajit", "../../../../lib/tosajit"]
    beside = os.path.join(os.path.dirname(os.path.realpath(_command())), "../lib/tosajit")
    return _find("TOSAJIT_ONNX_OPERATORS", [os.path.join(_HERE, folder, name) for folder in folders] + [os.path.join(beside, name)], name)


def _cache_folder(cache):
    if cache is None:
        kept = os.environ.get("TOSAJIT_CACHE_DIR")
        user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        cache = kept or os.path.join(user, "tosajit")
    folder = os.path.join(os.fspath(cache), "onnx")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _processor():
    """What the engine lays out images for."""
    with open("/proc/cpuinfo") as file:
        words = [line for line in file if line.startswith(("model name", "flags", "Features", "CPU part"))]
    return platform.machine() + "".join(sorted(set(words)))


def _weights_beside(path, data):
    """Sizes and times of the files that a model may keep its weights in."""
    if b"location" not in data:
        return []
    folder = os.path.dirname(os.path.abspath(path))
    found = []
    for base, _, names in os.walk(folder):
        for name in names:
            if name.encode() in data:
                file = os.stat(os.path.join(base, name))
                found.append((os.path.join(base, name), file.st_size, file.st_mtime_ns))
    return sorted(found)


def _digest(path, folder):
    """Of the bytes of a model and what lies beside it. A file that has not changed for seconds is not read for that again."""
    file = os.stat(path)
    what = (os.path.realpath(path), file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)
    known = os.path.join(folder, hashlib.sha256(repr(what).encode()).hexdigest() + ".digest")
    try:
        with open(known) as kept:
            return kept.read()
    except FileNotFoundError:
        pass
    with open(path, "rb") as model:
        data = model.read()
    beside = _weights_beside(path, data)
    digest = hashlib.sha256(data).hexdigest() + repr(beside)
    if not beside and time.time_ns() - max(file.st_mtime_ns, file.st_ctime_ns) > 2e9:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as fresh:
            fresh.write(digest)
        os.replace(fresh.name, known)
    return digest


def _key(path, folder, words):
    own = (_ort.__version__, _tosajit.__version__, os.stat(_command()).st_mtime_ns, _processor(), _digest(path, folder), words)
    return hashlib.sha256(repr(own).encode()).hexdigest()


def _convert(path, target, words):
    """Write the new model, and say how many regions it has. What the engine has not optimised is no new model without any. What is wrong
    is a RuntimeError."""
    environment = dict(os.environ, TOSAJIT_PYTHON=sys.executable)
    run = subprocess.run([_command(), "onnx", os.path.abspath(path), "-o", target, "--external-data", "--json", *words], env=environment, capture_output=True,
                         stdin=subprocess.DEVNULL)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace").strip() or "tosajit onnx ended with %d" % run.returncode)
    said = json.loads(run.stdout)
    regions = len(said["regions"]) + said["had"]
    if not regions and "--optimize" not in words:
        os.remove(target)
    return regions


def _kept(path, folder, words):
    """The folder of a model that has been converted before, or is now; other processes may do the same."""
    place = os.path.join(folder, _key(path, folder, words))
    if os.path.exists(os.path.join(place, "complete")):
        return place
    shutil.rmtree(place, ignore_errors=True)
    fresh = tempfile.mkdtemp(dir=folder)
    try:
        regions = _convert(path, os.path.join(fresh, "model.onnx"), words)
        with open(os.path.join(fresh, "complete"), "w") as complete:
            complete.write(str(regions))
        try:
            os.rename(fresh, place)
        except OSError:  # another one was first
            if not os.path.exists(os.path.join(place, "complete")):
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def _is_for_processors(options):
    providers = options.get("providers") or ["CPUExecutionProvider"]
    return [name if isinstance(name, str) else name[0] for name in providers] == ["CPUExecutionProvider"]


def _register(sess_options):
    """Once: a second time the engine refuses what it has."""
    try:
        sess_options.get_session_config_entry("tosajit.registered")
    except Exception:  # the engine's own, for an entry that is not there
        sess_options.register_custom_ops_library(_operators())
        sess_options.add_session_config_entry("tosajit.registered", "1")


def _open(place, sess_options, options, settled):
    """The model that is kept there. The level of the caller's options is as it was, when it is done."""
    level = sess_options.graph_optimization_level
    if settled:
        sess_options.graph_optimization_level = _ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        with open(os.path.join(place, "complete")) as complete:
            if int(complete.read()):
                _register(sess_options)
        return _ort.InferenceSession(os.path.join(place, "model.onnx"), sess_options, **options)
    finally:
        sess_options.graph_optimization_level = level


def session(model, sess_options=None, *, cache=None, accuracy="fast", **options):
    """An onnxruntime.InferenceSession of the model, which is used as any other one.

    model: a file, or the bytes of one. sess_options and options: those of InferenceSession. cache: the folder in which converted models
    are kept, instead of $TOSAJIT_CACHE_DIR or ~/.cache/tosajit. accuracy: "fast", or "exact" for functions that are rounded correctly.

    For other providers than processors it is the session of the model itself, and so it is after a warning where the model cannot be
    converted. Without regions it is that of the model as the engine has optimised it.
    """
    if accuracy not in ("exact", "fast"):
        raise ValueError("accuracy is 'exact' or 'fast', not %r" % (accuracy,))
    if not _is_for_processors(options):
        return _ort.InferenceSession(model, sess_options, **options)
    folder = _cache_folder(cache)
    if isinstance(model, (bytes, bytearray)):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(model)
            file.flush()
            return session(file.name, sess_options, cache=cache, accuracy=accuracy, **options)
    chosen = sess_options or _ort.SessionOptions()
    settled = chosen.graph_optimization_level == _ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    words = ("--accuracy", accuracy) + ("--optimize",) * settled
    options.setdefault("providers", ["CPUExecutionProvider"])
    try:
        place = _kept(model, folder, words)
    except RuntimeError as error:
        warnings.warn("%s is used as it is: %s" % (os.fspath(model), error), RuntimeWarning, stacklevel=2)
        return _ort.InferenceSession(model, sess_options, **options)
    if not os.path.exists(os.path.join(place, "model.onnx")):
        return _ort.InferenceSession(model, sess_options, **options)
    try:
        return _open(place, chosen, options, settled)
    except Exception:  # a damaged file; what else is wrong comes again
        shutil.rmtree(place, ignore_errors=True)
    try:
        return _open(_kept(model, folder, words), chosen, options, settled)
    except Exception as error:  # the engine's own, which may be about the model itself
        plain = _ort.InferenceSession(model, sess_options, **options)
        warnings.warn("%s is used as it is: %s" % (os.fspath(model), error), RuntimeWarning, stacklevel=2)
        return plain
