# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in chunks: functions of jit in dask's map_blocks and blockwise and in xarray's
apply_ufunc, on two processes with one thread each, over zarr. And sums of chunks that have the bits
of one sum.

    PYTHONPATH=build/tools/python python3 examples/python/chunks.py"""
import functools
import operator
import tempfile

import numpy as np

import tosajit

try:
    import dask.array
    import xarray
    import zarr
    from dask.distributed import Client, LocalCluster
except ImportError as error:
    raise SystemExit(f"*** NOT TESTED: chunks of arrays: {error}")


@tosajit.jit
def felt(t, humidity):
    """What a temperature feels like, where it is warm."""
    index = -8.785 + 1.611 * t + 2.339 * humidity - 0.1461 * t * humidity
    return np.where((t > 27) & (humidity > 40), index, t)


@tosajit.jit
def centred(t):
    return t - t.mean(axis=-1, keepdims=True)


@tosajit.jit
def scaled_sum(t, weight):
    return np.sum(t * weight, axis=-1, keepdims=True)


def one_thread():
    """Two processes share the machine; each divides nothing among threads."""
    tosajit.set_num_threads(1)


def compare(found, wanted, what):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=2e-5, atol=2e-4, err_msg=what)
    print(f"{what}: as NumPy")


def in_chunks(folder):
    """Each task brings its function, which cloudpickle sends, and which is one there."""
    plain = felt.__wrapped__, centred.__wrapped__, scaled_sum.__wrapped__
    t, humidity = (dask.array.from_zarr(f"{folder}/{name}.zarr") for name in ("t", "humidity"))
    whole_t, whole_humidity = t.compute(), humidity.compute()
    wanted = plain[0](whole_t, whole_humidity)
    compare(dask.array.map_blocks(felt, t, humidity, dtype="f4"), wanted, "map_blocks")
    rows = t.rechunk({1: -1})  # the mean is of a whole row
    compare(dask.array.blockwise(centred, "ij", rows, "ij", dtype="f4"), plain[1](whole_t),
            "blockwise")
    sets = [xarray.DataArray(a, dims=("place", "hour")) for a in (t, humidity)]
    applied = xarray.apply_ufunc(felt, *sets, dask="parallelized", output_dtypes=["f4"])
    compare(applied.compute(), wanted, "apply_ufunc")
    parts = dask.array.map_blocks(scaled_sum, t, np.float32(0.5), dtype="f4",
                                  chunks=(t.chunks[0], (1,) * t.numblocks[1]))
    compare(parts.sum(axis=1), plain[2](whole_t, np.float32(0.5))[:, 0], "sums of chunks")
    return whole_t, parts.compute()


def bits(whole, parts):
    """A sum along the last axis goes by segments of 4096 elements, whose values are added in order.
    Chunks of one segment each, added in order, are the same sum. Other chunks are another one."""
    one = scaled_sum(whole, np.float32(0.5))[:, 0]
    added = functools.reduce(operator.add, parts.T)
    assert np.array_equal(one, added), "chunks of one segment"
    print("chunks of one segment: the bits of one sum")
    small = np.concatenate([scaled_sum(part, np.float32(0.5))
                            for part in np.split(whole, 32, axis=1)], axis=1)
    differ = np.count_nonzero(one != functools.reduce(operator.add, small.T))
    print(f"chunks of half a segment: {differ} of {len(one)} sums have other bits")


def main():
    rng = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        for name, middle, spread in (("t", 25, 5), ("humidity", 60, 12)):
            store = zarr.open(f"{folder}/{name}.zarr", mode="w", shape=(250, 65536),
                              chunks=(100, 4096), dtype="f4")
            store[:] = rng.normal(middle, spread, store.shape)
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                client.run(one_thread)
                found = in_chunks(folder)
    bits(*found)


if __name__ == "__main__":
    main()
