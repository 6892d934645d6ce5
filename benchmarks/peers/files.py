#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Saves and loads the arrays of bench_files by the packages that people use, in turns with it, and prints the ratios.

usage: files.py --ours build/release/benchmarks/bench_files [--folder FOLDER] [--rounds 5] [--turns 3]

NPZ by numpy.savez and savez_compressed, HDF5 by h5py, safetensors by the package of this name. Each load copies the
arrays into existing ones, as a model's parameters. A ratio under 1 means that the project is faster.
"""
import argparse, os, statistics, subprocess, tempfile, time
import numpy

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--folder')
p.add_argument('--rounds', type=int, default=5)
p.add_argument('--turns', type=int, default=3)
a = p.parse_args()
folder = a.folder or tempfile.mkdtemp()
path = lambda name: os.path.join(folder, name)

def ours():
    lines = subprocess.run([a.ours, folder, str(a.rounds)], capture_output=True, text=True, check=True).stdout
    return {f[0]: float(f[1]) for f in (line.split('\t') for line in lines.splitlines())}

first = ours()
model = {k: v.copy() for k, v in numpy.load(path('ours_npz.npz')).items()}

def fill(stored):
    for k, v in model.items():
        v[...] = stored[k]

def npz(save):
    def run():
        save(path('theirs.npz'), **model)
    return run, lambda: fill(numpy.load(path('theirs.npz')))

def hdf5():
    import h5py
    def save():
        with h5py.File(path('theirs.h5'), 'w') as f:
            for k, v in model.items():
                f.create_dataset(k, data=v)
    def load():
        with h5py.File(path('theirs.h5')) as f:
            for k, v in model.items():
                f[k].read_direct(v)
    return save, load

def safetensors():
    from safetensors import numpy as s
    return lambda: s.save_file(model, path('theirs.safetensors')), lambda: fill(s.load_file(path('theirs.safetensors')))

def timed(f):
    times = []
    for _ in range(a.rounds):
        begin = time.perf_counter()
        f()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)

peers = {'npz': npz(numpy.savez), 'npz_compressed': npz(numpy.savez_compressed), 'hdf5': hdf5(), 'safetensors': safetensors()}
results = {}
for turn in range(a.turns):
    mine = first if turn == 0 else ours()
    for name, both in peers.items():
        for kind, f in zip(('save', 'load'), both):
            key = name + ' ' + kind
            results.setdefault(key, []).append((mine[key], timed(f)))
print(f'{"":24s} {"ours ms":>10s} {"theirs ms":>10s} {"ratio":>7s}')
for key, pairs in results.items():
    o, t = (statistics.median(x) for x in zip(*pairs))
    print(f'{key:24s} {o:10.1f} {t:10.1f} {statistics.median(x / y for x, y in pairs):7.2f}')
for key in ('snapshot', 'snapshot in the background'):
    print(f'{key:24s} {mine[key]:10.1f}')
