# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that NumPy lacks, for functions of tosajit.jit and on arrays: SciPy's and those of
neural networks.

    >>> import numpy as np, tosajit
    >>> from tosajit import special
    >>> special.sigmoid(np.zeros(2))
    array([0.5, 0.5])
    >>> @tosajit.jit
    ... def gated(x, y):
    ...     return x * special.sigmoid(y)
    >>> gated(np.ones(2), np.zeros(2))
    array([0.5, 0.5])

Arrays are what `tosajit.evaluate` takes: of NumPy, PyTorch, jax, and numbers. The result has the
shape of `x`, but for `logsumexp`. It is of the same kind, and of the same type where that is a
float. Of integers it is float64; `relu` and `relu6` keep integers.
"""
from __future__ import annotations

from ._words import own

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["erf", "erfc", "expit", "gelu", "hardsigmoid", "hardswish", "layer_norm", "log_softmax",
           "logsigmoid", "logsumexp", "mish", "relu", "relu6",
           "rms_norm", "rsqrt", "sigmoid", "silu", "softmax", "softplus"]

_SECTIONS = """    Parameters
    ----------
    x : array
        Of integers or floats, of any shape.

    Returns
    -------
    array
        Of the shape of `x`.

    Raises
    ------
    tosajit.ArgumentError
        There are more arguments.

    Examples
    --------
"""


def _each(function: F) -> F:
    """Of each element by itself: the sections of their words are the same."""
    sentence, _, example = str(function.__doc__).partition("    Examples\n    --------\n")
    function.__doc__ = sentence + _SECTIONS + example
    return own(function)


@_each
def erf(x: Any, /) -> Any:
    """The error function. Correctly rounded in float32.

    Examples
    --------
    >>> special.erf(np.array([0.0, 1.0]))
    array([0.        , 0.84270079])
    """


@_each
def erfc(x: Any, /) -> Any:
    """1 - erf(x), without its loss of digits where x is large. Correctly rounded in float32.

    Examples
    --------
    >>> special.erfc(np.array([0.0, 10.0]))
    array([1.00000000e+00, 2.08848758e-45])
    """


@_each
def rsqrt(x: Any, /) -> Any:
    """1 / sqrt(x), rounded once: NaN where x is negative, infinity at 0. Correctly rounded in
    float32.

    Examples
    --------
    >>> special.rsqrt(np.array([4.0, 0.0]))
    array([0.5, inf])
    """


@_each
def sigmoid(x: Any, /) -> Any:
    """1 / (1 + exp(-x)), the logistic function. Correctly rounded in float32.

    Examples
    --------
    >>> special.sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """


@_each
def expit(x: Any, /) -> Any:
    """`sigmoid`, as SciPy calls it.

    Examples
    --------
    >>> special.expit(np.array([0.0, 1.0]))
    array([0.5       , 0.73105858])
    """


@_each
def gelu(x: Any, /) -> Any:
    """x * (1 + erf(x / sqrt(2))) / 2: x times the probability that a normal number is less.

    Examples
    --------
    >>> special.gelu(np.array([-1.0, 0.0, 1.0]))
    array([-0.15865525,  0.        ,  0.84134475])
    """


@_each
def silu(x: Any, /) -> Any:
    """x * sigmoid(x), which others call swish.

    Examples
    --------
    >>> special.silu(np.array([-1.0, 0.0, 1.0]))
    array([-0.26894142,  0.        ,  0.73105858])
    """


@_each
def mish(x: Any, /) -> Any:
    """x * tanh(softplus(x)).

    Examples
    --------
    >>> special.mish(np.array([-1.0, 0.0, 1.0]))
    array([-0.30340146,  0.        ,  0.86509839])
    """


@_each
def softplus(x: Any, /) -> Any:
    """log(1 + exp(x)), which overflows nowhere.

    Examples
    --------
    >>> special.softplus(np.array([0.0, 1000.0]))
    array([6.93147181e-01, 1.00000000e+03])
    """


@_each
def logsigmoid(x: Any, /) -> Any:
    """log(sigmoid(x)), which overflows nowhere.

    Examples
    --------
    >>> special.logsigmoid(np.array([0.0, -1000.0]))
    array([-6.93147181e-01, -1.00000000e+03])
    """


@_each
def relu(x: Any, /) -> Any:
    """maximum(x, 0). A NaN stays.

    Examples
    --------
    >>> special.relu(np.array([-1, 0, 2]))
    array([0, 0, 2])
    """


@_each
def relu6(x: Any, /) -> Any:
    """minimum(maximum(x, 0), 6). A NaN stays.

    Examples
    --------
    >>> special.relu6(np.array([-1, 3, 9]))
    array([0, 3, 6])
    """


@_each
def hardsigmoid(x: Any, /) -> Any:
    """minimum(maximum(x / 6 + 1 / 2, 0), 1): a sigmoid of straight lines.

    Examples
    --------
    >>> special.hardsigmoid(np.array([-3.0, 0.0, 1.5]))
    array([0.  , 0.5 , 0.75])
    """


@_each
def hardswish(x: Any, /) -> Any:
    """x * hardsigmoid(x).

    Examples
    --------
    >>> special.hardswish(np.array([-1.5, 0.0, 1.5]))
    array([-0.375,  0.   ,  1.125])
    """


@own
def softmax(x: Any, /, axis: Any = -1) -> Any:
    """exp(x) divided by its sum along an axis, which overflows nowhere.

    Parameters
    ----------
    x : array
        Of integers or floats, of any shape.
    axis : int, tuple of int or None, optional
        What is summed over: the last axis without it; None: all.

    Returns
    -------
    array
        Of the shape of `x`. Its sums along the axis are 1.

    Raises
    ------
    tosajit.ArgumentError
        `x` has no such axis.

    Examples
    --------
    >>> special.softmax(np.log([[1.0, 3.0], [2.0, 2.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """


@own
def log_softmax(x: Any, /, axis: Any = -1) -> Any:
    """log(softmax(x)). Small values keep their digits.

    Parameters
    ----------
    x : array
        Of integers or floats, of any shape.
    axis : int, tuple of int or None, optional
        What is summed over: the last axis without it; None: all.

    Returns
    -------
    array
        Of the shape of `x`.

    Raises
    ------
    tosajit.ArgumentError
        `x` has no such axis.

    Examples
    --------
    >>> special.log_softmax(np.array([0.0, 1000.0]))
    array([-1000.,     0.])
    """


@own
def logsumexp(x: Any, /, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along an axis, which overflows nowhere.

    Parameters
    ----------
    x : array
        Of integers or floats, of any shape.
    axis : int, tuple of int or None, optional
        What is summed over: all without it.
    keepdims : bool, optional
        Whether the axis stays, with a size of 1.

    Returns
    -------
    array
        Without the axis, or a number.

    Raises
    ------
    tosajit.ArgumentError
        `x` has no such axis.

    Examples
    --------
    >>> special.logsumexp(np.array([[1000.0, 1000.0], [0.0, 0.0]]), axis=1)
    array([1.00069315e+03, 6.93147181e-01])
    """


@own
def layer_norm(x: Any, w: Any = 1, b: Any = 0, /, *, axis: Any = -1, eps: float = 1e-5) -> Any:
    """(x - mean) / sqrt(variance + eps) * w + b, with the mean and the variance along an axis.

    Parameters
    ----------
    x : array
        Of integers or floats, of any shape.
    w, b : array, optional
        Broadcast against `x`.
    axis : int, tuple of int or None, optional
        What the mean is of: the last axis without it; None: all.
    eps : float, optional
        Keeps the divisor from 0.

    Returns
    -------
    array
        Of the shape of `x`.

    Raises
    ------
    tosajit.ArgumentError
        `x` has no such axis.
    tosajit.ShapeError
        `w` or `b` does not broadcast.

    Examples
    --------
    >>> x, b = np.array([[1.0, 3.0], [5.0, 5.0]]), np.array([10.0, 20.0])
    >>> special.layer_norm(x, 1, b, eps=0.25).round(2)
    array([[ 9.11, 20.89],
           [10.  , 20.  ]])
    """


@own
def rms_norm(x: Any, w: Any = 1, /, *, axis: Any = -1, eps: float = 1e-5) -> Any:
    """x / sqrt(mean(x * x) + eps) * w, with the mean along an axis.

    Parameters
    ----------
    x : array
        Of integers or floats, of any shape.
    w : array, optional
        Broadcast against `x`.
    axis : int, tuple of int or None, optional
        What the mean is of: the last axis without it; None: all.
    eps : float, optional
        Keeps the divisor from 0.

    Returns
    -------
    array
        Of the shape of `x`.

    Raises
    ------
    tosajit.ArgumentError
        `x` has no such axis.
    tosajit.ShapeError
        `w` does not broadcast.

    Examples
    --------
    >>> special.rms_norm(np.array([3.0, 4.0]), eps=0).round(3)
    array([0.849, 1.131])
    """
