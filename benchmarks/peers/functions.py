#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs bench_functions and PyTorch alternately on every function of its table, forward and backward.

usage: functions.py BENCH_FUNCTIONS [options] [FUNCTION...]      (with a Python that has torch)
  --json FILE    write the times to FILE, for functions_page.py
  --size NAME    64, cache or 10M; all by default (may be repeated)
  --turns N      turns of both programs for each row (3)
  --seconds S    time of each turn (0.12)
  --threads N    threads of both programs (1)
  --device NAME  the device of ours, for example @cuda:0 (PyTorch's is then cuda)
  --check        compare results and gradients at the smallest size with PyTorch's
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

import functions_torch as helpers


def expression(text):
    return eval('lambda x: ' + text, vars(helpers) | {'torch': torch, 'F': torch.nn.functional})


group = 1e-4  # a millisecond on a device, after which the host waits for it
wait = lambda: None


def make(spec):
    kind, shape, low, high = (spec[k] for k in ('kind', 'shape', 'low', 'high'))
    if kind == 'integers':
        return torch.randint(int(low), int(high), shape)
    if kind == 'permutation':
        return torch.randperm(shape[0])
    x = torch.randn(shape) if kind == 'normal' else torch.rand(shape) * (high - low) + low
    return x.requires_grad_(spec['gradient'])


class Case:
    """A row of the table for PyTorch: the function, the inputs to differentiate, and the gradients of the outputs."""

    def __init__(self, row, x, gy=None):
        f = expression(row['torch'])
        first = f(x)
        self.leaves = first.leaves if isinstance(first, helpers.Prepared) else [v for v in x if v.requires_grad]
        self.call = first.call if isinstance(first, helpers.Prepared) else lambda: f(x)
        self.backward = row['backward']
        ys = self.outputs()
        if self.backward:
            self.gy = [torch.randn(y.shape).to(y.dtype) for y in ys] if gy is None else split_like(gy, ys)

    def outputs(self):
        y = self.call()
        return y if isinstance(y, list) else [y]

    def run(self):
        if not self.backward:
            with torch.no_grad():
                return self.outputs()
        for v in self.leaves:
            v.grad = None
        ys = self.outputs()
        torch.autograd.backward(ys, self.gy)
        return ys


def split_like(flat, ys):
    parts = torch.split(flat, [y.numel() for y in ys])
    return [p.view(y.shape).to(y.dtype) for p, y in zip(parts, ys)]


def measure(case, seconds):
    """Returns minimum and median milliseconds per call; short calls are timed in groups of about `group` seconds."""
    case.run()
    wait()
    start = time.perf_counter()
    case.run()
    wait()
    batch = max(1, int(group / (time.perf_counter() - start)))
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        for _ in range(batch):
            case.run()
        wait()
        times.append((time.perf_counter() - start) * 1e3 / batch)
    return min(times), statistics.median(times)


class Ours:
    def __init__(self, program, options):
        command = [program, '--serve', '--threads', str(options.threads), '--device', options.device]
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def measure(self, name, size, seconds):
        print(name, size, seconds, file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if 'error' in answer:
            raise RuntimeError(f'{name}: {answer["error"]}')
        return answer['least'], answer['median']


def compare(row, size, ours, options):
    torch.manual_seed(0)
    case = Case(row, [make(i) for i in row['inputs'][size]])
    turns = [(ours.measure(row['name'], size, options.seconds), measure(case, options.seconds))
             for _ in range(options.turns)]
    (o_least, o_median), (t_least, t_median) = ([list(v) for v in zip(*side)] for side in zip(*turns))
    return {'name': row['name'], 'size': size, 'ours': min(o_least), 'torch': min(t_least),
            'ours_median': statistics.median(o_median), 'torch_median': statistics.median(t_median),
            'ratio': min(o_least) / min(t_least),
            'ratio_of_medians': statistics.median(o / t for o, t in zip(o_median, t_median))}


def far(ours, theirs):
    """Returns the largest difference relative to the largest number."""
    a = np.concatenate([np.ravel(v).astype(np.float64) for v in ours] or [np.zeros(0)])
    b = np.concatenate([v.detach().numpy().ravel().astype(np.float64) for v in theirs] or [np.zeros(0)])
    if a.shape != b.shape:
        return math.inf
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return math.inf
    return float(np.nanmax(np.abs(a - b), initial=0) / max(np.nanmax(np.abs(b), initial=0), 1e-30))


def check(rows, program):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, '--check', folder], check=True)
        for row in rows:
            file = np.load(pathlib.Path(folder) / (row['name'] + '.npz'))

            def arrays(letter):
                return [file[f'{letter}{i}'] for i in range(sum(k.rstrip('0123456789') == letter for k in file.files))]
            specs = row['inputs'][next(iter(row['inputs']))]
            x = [torch.from_numpy(a).requires_grad_(s['gradient']) for a, s in zip(arrays('x'), specs)]
            gy = torch.cat([torch.from_numpy(g).double().ravel() for g in arrays('gy')]) if row['backward'] else None
            case = Case(row, x, gy)
            ys = case.run()
            if row['random']:
                continue
            distance = [far(arrays('y'), ys)]
            if row['backward']:
                distance.append(far(arrays('gx'), [v.grad for v in case.leaves]))
            if not max(distance) < 1e-4:
                wrong += 1
                print(f'{row["name"]}: results, gradients differ by {distance}')
    print(f'{len(rows) - wrong} passed, {wrong} failed')
    return wrong != 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('program')
    parser.add_argument('names', nargs='*')
    parser.add_argument('--json')
    parser.add_argument('--size', action='append')
    parser.add_argument('--turns', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.12)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--device', default='@cpu')
    parser.add_argument('--check', action='store_true')
    options = parser.parse_intermixed_args()
    torch.set_num_threads(options.threads)
    if options.device != '@cpu':
        global group, wait
        group, wait = 1e-3, torch.cuda.synchronize
        torch.set_default_device('cuda')
    listed = subprocess.run([options.program, '--list'], check=True, capture_output=True, text=True).stdout
    rows = [r for r in map(json.loads, listed.splitlines()) if 'torch' in r]
    rows = [r for r in rows if not options.names or r['name'] in options.names]
    if options.check:
        sys.exit(check(rows, options.program))
    ours, results = Ours(options.program, options), []
    print(f'{"function":38s} {"size":>6s} {"ours ms":>10s} {"torch ms":>10s} {"ratio":>6s} {"medians":>8s}')
    for row in rows:
        for size in options.size or row['inputs']:
            if size not in row['inputs']:
                continue
            try:
                r = compare(row, size, ours, options)
            except (RuntimeError, AttributeError) as e:  # AttributeError: not in this release of PyTorch
                print(f'{row["name"]:38s} {size:>6s} failed: {e}', flush=True)
                continue
            results.append(r)
            print(f'{r["name"]:38s} {size:>6s} {r["ours"]:10.4f} {r["torch"]:10.4f} {r["ratio"]:6.2f} '
                  f'{r["ratio_of_medians"]:8.2f}', flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    for size in dict.fromkeys(r['size'] for r in results):
        ratios = [r['ratio'] for r in results if r['size'] == size]
        print(f'{size}: geometric mean {statistics.geometric_mean(ratios):.2f} of {len(ratios)} functions, '
              f'{sum(r > 1 for r in ratios)} above 1.0, {sum(r > 1.3 for r in ratios)} above 1.3')


if __name__ == '__main__':
    main()
