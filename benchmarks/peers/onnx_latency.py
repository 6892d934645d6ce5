#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Latency of ONNX files with batch size 1 or N, compared with onnxruntime.

usage: PYTHON_WITH_ONNXRUNTIME onnx_latency.py --ours build/release/benchmarks/bench_onnx [--rounds 5] [--seconds 2]
                                               [--threads 2] [--batch 1] [--first] [FILE.onnx...]

Without files MLP, LeNet and ResNet50 are exported first. With --first the time to load a file and to answer once, in a
process of its own, is compared instead. Prints the medians in milliseconds, the median of the ratios
and their range; a ratio under 1 means that the project is faster.
"""
import argparse, glob, os, statistics, subprocess, sys, tempfile, time

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--rounds', type=int, default=5)
p.add_argument('--seconds', type=float, default=2)
p.add_argument('--threads', type=int, default=2)
p.add_argument('--batch', type=int, default=1)
p.add_argument('--first', action='store_true')
p.add_argument('--theirs', action='store_true', help=argparse.SUPPRESS)
p.add_argument('files', nargs='*')
a = p.parse_args()


def onnxruntime_median(file):
    import numpy as np, onnxruntime
    loading = time.perf_counter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = a.threads
    session = onnxruntime.InferenceSession(file, options, providers=['CPUExecutionProvider'])
    loaded = time.perf_counter()
    feeds = {}
    for i in session.get_inputs():
        shape = [n if isinstance(n, int) else a.batch for n in i.shape]
        feeds[i.name] = np.random.rand(*shape).astype(np.float32) if 'float' in i.type else np.zeros(shape, np.int64)
    if a.first:
        begin = time.perf_counter()
        session.run(None, feeds)
        return (loaded - loading + time.perf_counter() - begin) * 1e3
    for _ in range(3):
        session.run(None, feeds)
    took, start = [], time.perf_counter()
    while time.perf_counter() - start < a.seconds or len(took) < 5:
        begin = time.perf_counter()
        session.run(None, feeds)
        took.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(took)


if a.theirs:
    print(onnxruntime_median(a.files[0]))
    sys.exit()
common = ['--seconds', str(a.seconds), '--threads', str(a.threads), '--batch', str(a.batch)] + ['--first'] * a.first
with tempfile.TemporaryDirectory() as folder:
    if not a.files:
        subprocess.run([a.ours, '--export', folder], check=True)
        a.files = sorted(glob.glob(folder + '/*.onnx'))
    print(f'{"model":16s} {"ours, ms":>10s} {"onnxruntime":>12s} {"ratio":>7s}  spread')
    for file in a.files:
        ours, theirs = [], []
        for _ in range(a.rounds):
            out = subprocess.run([a.ours, *common, file], capture_output=True, text=True, check=True).stdout
            ours.append(float(out.split('\t')[1]))
            out = subprocess.run([sys.executable, __file__, '--theirs', '--ours', '-', *common, file],
                                 capture_output=True, text=True, check=True).stdout
            theirs.append(float(out))
        ratios = sorted(o / t for o, t in zip(ours, theirs))
        name = os.path.splitext(os.path.basename(file))[0]
        print(f'{name:16s} {statistics.median(ours):10.3f} {statistics.median(theirs):12.3f} '
              f'{statistics.median(ratios):7.2f}  {ratios[0]:.2f}-{ratios[-1]:.2f}', flush=True)
