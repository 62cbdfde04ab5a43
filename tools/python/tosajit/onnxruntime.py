# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of ONNX Runtime whose elementwise parts, norms and softmax are computed by tosajit.

    import tosajit.onnxruntime
    session = tosajit.onnxruntime.session("model.onnx")
    session.run(None, {"x": x})

The model is optimised by ONNX Runtime and converted by the command `tosajit onnx`, once: what comes
of that is kept in a folder, from which later processes take it. Its weights are in a file of their
own, which sessions map and do not copy. The code of its regions is kept beside it, so later
processes load no compiler.
"""
import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import onnxruntime as _ort

import tosajit as _tosajit
from tosajit import _onnx_cache, _onnx_session

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


def _command_places():
    for place in ("tosajit", "../../tosajit", "../../../../bin/tosajit"):
        yield os.path.join(_HERE, place)
    yield shutil.which("tosajit")


def _command():
    return _find("TOSAJIT_COMMAND", _command_places(), "the command tosajit")


def _operators():
    name = "libtosajit-onnxruntime.so"
    folders = ["_onnxruntime", "../../onnxruntime", "../../../tosajit", "../../../../lib/tosajit"]
    beside = os.path.join(os.path.dirname(os.path.realpath(_command())), "../lib/tosajit")
    return _find("TOSAJIT_ONNX_OPERATORS", [os.path.join(_HERE, folder, name)
                                            for folder in folders] + [os.path.join(beside, name)],
                 name)


def _cache_folder(cache):
    """The folder of converted models. An OSError says why there is none."""
    cache = cache or os.environ.get("TOSAJIT_CACHE_DIR")
    if not cache:
        user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        if user.startswith("~"):
            raise FileNotFoundError("this user has no home")
        cache = os.path.join(user, "tosajit")
    return _onnx_cache.folder_of(cache)


def _processor():
    """The processor for which the engine lays out images."""
    with open("/proc/cpuinfo") as file:
        words = [line for line in file if line.startswith(("model name", "flags", "Features",
                                                           "CPU part"))]
    return platform.machine() + "".join(sorted(set(words)))


def _key_of(digest, words):
    own = (_ort.__version__, _tosajit.__version__, os.stat(_command()).st_mtime_ns, _processor(),
           digest, words)
    return hashlib.sha256(repr(own).encode()).hexdigest()


def _key(path, folder, words):
    """The name under which the folder keeps a model."""
    return _key_of(_onnx_cache.digest(path, folder), words)


class _Refused(RuntimeError):
    """The converter's, of a model: the next time it would say the same."""


# by somebody else
_ENDED = tuple(-number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM))


def _convert(path, target, words):
    """Write the new model, and say how many regions it has. A model that the engine has not
    optimised, and that has no region,
    is no new model. Errors are RuntimeErrors."""
    environment = dict(os.environ, TOSAJIT_PYTHON=sys.executable)
    run = subprocess.run([_command(), "onnx", os.path.abspath(path), "-o", target,
                          "--external-data", "--json", *words], env=environment,
                         capture_output=True, stdin=subprocess.DEVNULL)
    if run.returncode:
        why = (run.stderr.decode(errors="replace").strip()
               or "tosajit onnx ended with %d" % run.returncode)
        raise (RuntimeError if run.returncode in _ENDED else _Refused)(why)
    said = json.loads(run.stdout)
    regions = len(said["regions"]) + said["had"]
    if not regions and "--optimize" not in words:
        os.remove(target)
    return regions


def _warn(level, text, *details):
    """At the caller of session(), which is so far from the function that calls this."""
    warnings.warn(text % details, RuntimeWarning, stacklevel=level + 2)


class _Model:
    """A model as it was given: a file, or bytes, whose weights are where the engine looks for
    them."""

    def __init__(self, given, sess_options):
        self.given, self.beside = bytes(given) if isinstance(given, bytearray) else given, None
        self.is_bytes = isinstance(self.given, bytes)
        if self.is_bytes:
            try:
                self.beside = sess_options.get_session_config_entry("session.model_external_initializers_file_folder_path")
            except Exception:  # the engine's own, for an entry that is not there
                self.beside = os.getcwd()
            self.name = "the model"
        else:
            self.name = os.fspath(given)
            # whatever else is wrong, nobody converts what is not there
            self.about = os.stat(self.name)

    def is_as_it_was(self):
        if self.is_bytes:
            return True
        try:
            now, then = os.stat(self.name), self.about
        except OSError:
            return False
        return (now.st_dev, now.st_ino, now.st_size,
                now.st_mtime_ns) == (then.st_dev, then.st_ino, then.st_size, then.st_mtime_ns)

    def key(self, folder, words):
        if self.is_bytes:
            return _key_of(_onnx_cache.digest_of_bytes(self.given, self.beside, folder), words)
        return _key(self.name, folder, words)

    def convert(self, place, words):
        """Put the converted model into a folder."""
        if not self.is_bytes:
            regions = _convert(self.name, os.path.join(place, "model.onnx"), words)
        else:
            given = os.path.join(place, "given")
            os.mkdir(given, 0o700)
            try:
                regions = _convert(_onnx_cache.write_model(self.given, self.beside, given),
                                   os.path.join(place, "model.onnx"), words)
            finally:
                shutil.rmtree(given, ignore_errors=True)
        _onnx_cache.complete(place, regions)
        return regions


@contextlib.contextmanager
def _progress(text):
    """A line on a terminal about what takes more than two seconds; it goes when that ends."""
    done, begin = threading.Event(), time.monotonic()

    def show():
        if done.wait(2):
            return
        while not done.wait(0.5):
            sys.stderr.write("\r%s: %d s" % (text, time.monotonic() - begin))
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    terminal = sys.stderr and sys.stderr.isatty()
    shown = threading.Thread(target=show, daemon=True) if terminal else None
    if shown:
        shown.start()
    try:
        yield
    finally:
        done.set()
        if shown:
            shown.join()


def _is_for_processors(options):
    providers = options.get("providers") or ["CPUExecutionProvider"]
    return [name if isinstance(name, str) else name[0]
            for name in providers] == ["CPUExecutionProvider"]


def _has_entry(sess_options, key):
    try:
        sess_options.get_session_config_entry(key)
        return True
    except Exception:  # the engine's own, for an entry that is not there
        return False


def _register(sess_options, code):
    """Once: a second time the engine refuses what it has. Code is kept in that folder; None: it is
    not."""
    if _has_entry(sess_options, "tosajit.registered"):
        return
    if code is not None and not _has_entry(sess_options, "tosajit.cache"):
        sess_options.add_session_config_entry("tosajit.cache", code)
    sess_options.register_custom_ops_library(_operators())
    sess_options.add_session_config_entry("tosajit.registered", "1")


def _make_code(path, code):
    """Keep the code of all regions of a model in that folder: a session that is made with it."""
    options = _ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = _ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    # nobody calls it, and weights are large
    for entry, word in (("tosajit.compile", "now"), ("session.disable_prepacking", "1")):
        options.add_session_config_entry(entry, word)
    _register(options, code)
    try:
        _ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception:  # it is the caller's session that tells
        pass


def _open(place, sess_options, options, settled, own, code):
    """The model that is there; None: nothing is gained. The level of the caller's options is as it
    was, when it is done."""
    path, level = os.path.join(place, "model.onnx"), sess_options.graph_optimization_level
    if not os.path.exists(path):
        return None
    if settled:
        sess_options.graph_optimization_level = _ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        regions, _ = _onnx_cache.said_of(place)
        if not regions:
            return _ort.InferenceSession(path, sess_options, **options)
        _register(sess_options, code)
        return _onnx_session.Session(path, sess_options, own, **options)
    finally:
        sess_options.graph_optimization_level = level


def _from_cache(model, folder, words, open_model):
    """(whether the model is there, its session). A _Refused says why it cannot be converted."""
    key = model.key(folder, words) if folder is not None else None
    with _onnx_cache.found(folder, key) as place:
        if place is None:
            return False, None
        try:
            _, why = _onnx_cache.said_of(place)
            if why is None:
                return True, open_model(place)
            raise _Refused(why)
        except _Refused:
            raise
        except Exception:  # a damaged file; what else is wrong comes again
            pass
    _onnx_cache.drop(folder, key)
    return False, None


def _converted(model, folder, words, open_model):
    """The session of a model that is converted now, and kept if it can be opened and has not
    changed meanwhile."""
    key = model.key(folder, words) if folder is not None else None
    with _onnx_cache.fresh(folder) as place:
        try:
            regions = model.convert(place, words)
        except _Refused as error:
            if key is not None and model.key(folder, words) == key:
                with contextlib.suppress(OSError):
                    _onnx_cache.keep_failure(folder, key, place, str(error))
            raise
        if regions and folder is not None:
            _make_code(os.path.join(place, "model.onnx"), os.path.dirname(folder))
        made = open_model(place)
        if key is not None and model.key(folder, words) == key:
            try:
                _onnx_cache.keep(folder, key, place)
            except OSError as error:
                _warn(3, "%s is converted by each session, for it is not kept: %s", model.name,
                      error)
        return made


def _session(model, folder, words, open_model):
    """None: it is that of the model itself."""
    try:
        there, made = _from_cache(model, folder, words, open_model)
        if there:
            return made
        with _progress("tosajit converts %s, once" % os.path.basename(model.name)):
            return _converted(model, folder, words, open_model)
    # the converter's, the system's, or the engine's own, which may be about the model itself
    except Exception as error:
        _warn(2, "%s is used as it is: %s", model.name, error)
        return None


def session(model, sess_options=None, *, cache=None, accuracy="reproducible", **options):
    """An onnxruntime.InferenceSession of the model, which is used as any other one.

    A conversion of more than two seconds is told on a terminal.
    For other providers than processors it is the session of the model itself, and so it is after a
    warning where the model cannot be converted. Without regions it is that of the model as the
    engine has optimised it. Where there is no cache, or others can write it, there is a warning,
    and the model is converted for this session alone.

    Parameters
    ----------
    model : path, bytes or onnx.ModelProto
        A file, what it contains, or what onnx has made.
    sess_options : onnxruntime.SessionOptions, optional
        As InferenceSession has them.
    cache : path, optional
        The folder in which converted models are kept, instead of $TOSAJIT_CACHE_DIR or ~/.cache/tosajit.
    accuracy : {'reproducible', 'exact', 'contracted'}, optional
        Functions are at most 1 ulp off, or correctly rounded in float32. 'contracted' also rounds a product once with the one sum that
        reads it.
    **options
        Other arguments of InferenceSession, as `providers`.

    Returns
    -------
    onnxruntime.InferenceSession

    Raises
    ------
    ValueError
        `accuracy` is another word.
    OSError
        There is no such file.
    Exception
        What onnxruntime raises for a model that it refuses.

    Examples
    --------
    >>> import tempfile, numpy as np, tosajit.onnxruntime
    >>> from onnx import TensorProto, helper
    >>> x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 2]) for name in "xy")
    >>> nodes = [helper.make_node("Sigmoid", ["x"], ["s"]), helper.make_node("Mul", ["x", "s"], ["y"])]
    >>> model = helper.make_model(helper.make_graph(nodes, "swish", [x], [y]), opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    >>> session = tosajit.onnxruntime.session(model, cache=tempfile.mkdtemp())
    >>> session.run(None, {"x": np.zeros((1, 2), np.float32)})
    [array([[0., 0.]], dtype=float32)]
    """
    if accuracy not in ("exact", "reproducible", "contracted"):
        raise ValueError("accuracy is 'exact', 'reproducible' or 'contracted', not %r" % (accuracy,))
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not _is_for_processors(options):
        return _ort.InferenceSession(model, sess_options, **options)
    _onnx_cache.limit()
    _command()
    chosen, folder = sess_options or _ort.SessionOptions(), None
    given = _Model(model, chosen)
    settled = chosen.graph_optimization_level == _ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    words = ("--accuracy", accuracy) + ("--optimize",) * settled
    options.setdefault("providers", ["CPUExecutionProvider"])
    try:
        folder = _cache_folder(cache)
    except OSError as error:
        _warn(1, "%s is converted for this session alone: there is no cache: %s", given.name, error)

    def own():
        """The session of the model itself; None: it has changed."""
        return (_ort.InferenceSession(given.given, chosen, **options) if given.is_as_it_was()
                else None)

    code = folder and os.path.dirname(folder)
    made = _session(given, folder, words, lambda place: _open(place, chosen, options, settled, own,
                                                              code))
    return made or _ort.InferenceSession(model, sess_options, **options)
