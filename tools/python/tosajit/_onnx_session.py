# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of converted models. A call that a region refuses is computed by the session of the
model itself, whichever way it came:

    run, run_with_ort_values           again there
    run_with_iobinding                 again there, with what was bound
    run_async                          again there, before the callback is called

The model's session is made by the first such call. It refuses in the engine's own words, unless it
is the model that is wrong: a model with other declared sizes than its calls' sizes runs in the
engine.
"""
import re
import threading

import onnxruntime as _ort

_BIND = ("bind_cpu_input", "bind_input", "bind_ortvalue_input", "bind_output",
         "bind_ortvalue_output")
_CLEAR = {"clear_binding_inputs": "input", "clear_binding_outputs": "output"}
_RESULTS = ("get_outputs", "get_outputs_as_ortvaluevector", "copy_outputs_to_cpu",
            "synchronize_outputs")


class Session(_ort.InferenceSession):
    """A session with regions. own() makes the session of the model itself; None: the model is
    another one now."""

    def __init__(self, path, sess_options, own, **options):
        super().__init__(path, sess_options, **options)
        self._tosajit_own, self._tosajit_begins, self._tosajit_plain = own, threading.Lock(), None

    def _tosajit_instead(self, error):
        """The model's own session; None: no region has said the error, or the model is another one
        now."""
        if not re.search(r"running Region\d* node", str(error)):
            return None
        with self._tosajit_begins:
            self._tosajit_plain = self._tosajit_plain or self._tosajit_own()
        return self._tosajit_plain

    def _tosajit_run(self, run, again):
        try:
            return run()
        except Exception as error:
            plain = self._tosajit_instead(error)
            if plain is None:
                raise
        return again(plain)

    def run(self, output_names, input_feed, run_options=None):
        given = output_names, input_feed, run_options
        return self._tosajit_run(lambda: super(Session,
                                               self).run(*given), lambda plain: plain.run(*given))

    def run_with_ort_values(self, output_names, input_dict_ort_values, run_options=None):
        given = output_names, input_dict_ort_values, run_options
        return self._tosajit_run(lambda: super(Session, self).run_with_ort_values(*given), lambda plain: plain.run_with_ort_values(*given))

    def io_binding(self):
        return Binding(self)

    def run_with_iobinding(self, iobinding, run_options=None):
        # made without io_binding(): nobody knows what is bound
        if not isinstance(iobinding, Binding):
            return super().run_with_iobinding(iobinding, run_options)
        iobinding._tosajit_results = None
        return self._tosajit_run(lambda: super(Session,
                                               self).run_with_iobinding(iobinding, run_options),
                                 lambda plain: iobinding._tosajit_run(plain, run_options))

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        def called(results, user_data, error):
            plain = self._tosajit_instead(error) if error else None
            if plain is not None:
                try:
                    results, error = plain.run(output_names, input_feed, run_options), ""
                except Exception as why:
                    error = str(why)
            callback(results, user_data, error)

        return super().run_async(output_names, input_feed, called, user_data, run_options)


class Binding(_ort.IOBinding):
    """An IOBinding that knows what is bound: the last for each name."""

    def __init__(self, session):
        super().__init__(session)
        self._tosajit_bound, self._tosajit_results = {}, None

    def _tosajit_run(self, plain, run_options):
        binding = plain.io_binding()
        for method, given, named in self._tosajit_bound.values():
            getattr(binding, method)(*given, **named)
        plain.run_with_iobinding(binding, run_options)
        self._tosajit_results = binding


def _binds(method):
    kind = method.rsplit("_", 1)[1]

    def bind(self, *given, **named):
        getattr(super(Binding, self), method)(*given, **named)
        name = given[0] if given else named["name"]
        # bound again it keeps its place, as results of the engine do
        self._tosajit_bound[kind, name] = method, given, named
    return bind


def _clears(method, kind):
    def clear(self):
        getattr(super(Binding, self), method)()
        self._tosajit_bound = {key: one for key, one in self._tosajit_bound.items()
                               if key[0] != kind}
    return clear


def _results(method):
    def results(self):
        if self._tosajit_results is not None:
            return getattr(self._tosajit_results, method)()
        return getattr(super(Binding, self), method)()
    return results


for _name in _BIND:
    setattr(Binding, _name, _binds(_name))
for _name, _kind in _CLEAR.items():
    setattr(Binding, _name, _clears(_name, _kind))
for _name in _RESULTS:
    if hasattr(_ort.IOBinding, _name):  # some came with later engines
        setattr(Binding, _name, _results(_name))
