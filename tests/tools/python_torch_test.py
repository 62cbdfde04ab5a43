# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package with PyTorch: tensors in, tensors out, and nothing copied or left behind."""
import gc
import os
import sys
import unittest

import torch

import tosajit


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Torch(unittest.TestCase):
    def test_results_are_tensors(self):
        x, b = torch.randn(5, 7), torch.randn(1, 7)
        for y in (tosajit.evaluate("x + b", x=x, b=b),
                  tosajit.compile("y = x + b : f32[?,?]")(x, b),
                  tosajit.evaluate("x + b", x=x, b=b, out=torch.empty(5, 7))):
            self.assertIs(type(y), torch.Tensor)
            self.assertTrue(torch.equal(y, x + b))
            y.resize_(3, 2).add_(1)  # its memory is PyTorch's own
        s, d = tosajit.evaluate("s = x + b; d = x - b", x=x, b=b)
        self.assertTrue(torch.equal(s, x + b) and torch.equal(d, x - b))
        self.assertEqual(tosajit.evaluate("x + b", x=x[0, 0], b=b[0, 0]).shape, ())
        self.assertEqual(tosajit.evaluate("x + b", x=x[:0], b=b).shape, (0, 7))

    def test_types(self):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32,
                      torch.int64):
            x = torch.tensor([1, -2, 3]).to(dtype)
            y = tosajit.evaluate("x + x", x=x)
            self.assertEqual(y.dtype, dtype)
            self.assertTrue(torch.equal(y, x + x))
        x = torch.tensor([True, False])
        self.assertTrue(torch.equal(tosajit.evaluate("!x", x=x), ~x))
        with self.assertRaisesRegex(tosajit.ElementTypeError, "does not have"):
            tosajit.evaluate("x + x", x=torch.ones(3, dtype=torch.complex64))

    def test_views(self):
        base = torch.randn(6, 8)
        for view in (base.t(), base[::2], base[:, 1::3], base.t()[2:5, ::2], base.expand(2, 6, 8),
                     base[:, :1]):
            self.assertTrue(torch.equal(tosajit.evaluate("x * x", x=view), view * view))
        out = torch.zeros(6, 16)
        tosajit.evaluate("x * x", x=base, out=out[:, ::2])
        self.assertTrue(torch.equal(out[:, ::2], base * base))
        self.assertFalse(out[:, 1::2].any())
        tosajit.evaluate("x * x", x=base, out=base)
        wanted = base[:5] * base[:5]
        tosajit.evaluate("x * x", x=base[:5], out=base[1:])
        self.assertTrue(torch.equal(base[1:], wanted))

    def test_what_would_lose_something_is_refused(self):
        x = torch.ones(3, requires_grad=True)
        with self.assertRaisesRegex(BufferError, "detach"):
            tosajit.evaluate("x + x", x=x)
        with self.assertRaisesRegex(BufferError, "detach"):
            tosajit.evaluate("x + x", x=x.detach(), out=x)
        self.assertEqual(tosajit.evaluate("x + x", x=x.detach()).tolist(), [2, 2, 2])
        self.assertEqual(tosajit.evaluate("x + x",
                                          x=torch.nn.Parameter(x, requires_grad=False)).tolist(),
                         [2, 2, 2])
        for wrong in (torch.ones(3, device="meta"), torch.ones(3).to_sparse()):
            with self.assertRaises(Exception) as caught:
                tosajit.evaluate("x + x", x=wrong)
            self.assertLess(len(str(caught.exception)), 400)

    def test_negative_bit(self):
        """Memory has the numbers without their sign."""
        x = torch.arange(6.0)
        z = torch.complex(x, x + 1)
        kernel = tosajit.compile("y = x * x + x : f32[?]").wait()
        for n in (z.conj().imag, z.conj().imag[1:2], z.conj().imag.view(2, 3).t()[1]):
            self.assertTrue(n.is_neg())
            self.assertTrue(torch.equal(tosajit.evaluate("n + 0", n=n), n.clone()))
            self.assertTrue(torch.equal(kernel(n), n * n + n))
            self.assertTrue(torch.equal(kernel(n, out=torch.empty(n.shape)), n * n + n))
            with self.assertRaisesRegex(tosajit.ArgumentError,
                                        "result .* has its negative bit set"):
                tosajit.evaluate("a + 1", a=torch.ones(n.shape), out=n)
        self.assertEqual(tosajit.evaluate("n * 2", n=z.conj().imag[2]).item(), -6)
        with self.assertRaisesRegex(tosajit.ArgumentError, "result .* has its negative bit set"):
            kernel(x, out=torch._neg_view(torch.zeros(6)))
        with self.assertRaisesRegex(BufferError, "detach"):
            kernel(z.requires_grad_().conj().imag)

    def test_beside_other_arrays(self):
        import numpy as np
        x = torch.ones(3)
        self.assertIs(type(tosajit.evaluate("x + n", x=x, n=x.numpy())), torch.Tensor)
        self.assertIs(type(tosajit.evaluate("n + x", x=x, n=x.numpy())), np.ndarray)
        self.assertEqual(tosajit.evaluate("x * a", x=x, a=2).tolist(), [2, 2, 2])
        self.assertIs(type(torch.from_dlpack(tosajit.evaluate("x + x", x=memoryview(x.numpy())))),
                      torch.Tensor)

    def test_nothing_is_left(self):
        x, b = torch.randn(4, 1000), torch.randn(1, 1000)
        kernel = tosajit.compile("y = x + b : f32[?,?]").wait()
        out = torch.empty(4, 1000)

        def all_ways():
            kernel(x, b)
            kernel(x, b, out=out)
            for wrong in (lambda: kernel(x, b, out=b), lambda: kernel(x, torch.ones(2, 2, dtype=torch.int32)),
                          lambda: kernel(x, torch.ones(1, 1000, requires_grad=True))):
                try:
                    wrong()
                except (ValueError, TypeError, BufferError):
                    pass

        for _ in range(300):
            all_ways()
        gc.collect()
        counts, memory = [sys.getrefcount(w) for w in (x, b, out, torch.Tensor)], resident()
        for _ in range(2000):
            all_ways()
        gc.collect()
        self.assertEqual([sys.getrefcount(w) for w in (x, b, out, torch.Tensor)], counts)
        self.assertLess(resident() - memory, 4 << 20)


if __name__ == "__main__":
    unittest.main()
