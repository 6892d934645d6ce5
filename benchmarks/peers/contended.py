#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures a shared machine: each workload alone, as two programs at once, and with a busy process.

usage: contended.py --ours BENCH_PROGRAM [--python PYTHON_WITH_TORCH] [--rounds 3] [--seconds 3] [WORKLOAD...]

Prints, for the project and with --python for PyTorch, the median milliseconds of a step and the factor relative to
running alone. The median of the rounds counts. BENCH_PROGRAM is as for compare.py.
"""
import argparse, os, statistics, subprocess, sys, time
HERE = os.path.dirname(os.path.abspath(__file__))
p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--python')
p.add_argument('--threads', type=int, default=2)
p.add_argument('--rounds', type=int, default=3)
p.add_argument('--seconds', type=float, default=3)
p.add_argument('workloads', nargs='*')
a = p.parse_args()
BUSY = [sys.executable, '-c', 'while True: pass']


def start(program, workload):
    options = ['--threads', str(a.threads), '--seconds', str(a.seconds), workload]
    return subprocess.Popen(program + options, stdout=subprocess.PIPE, text=True)


def median_ms(process):
    out = process.communicate()[0]
    for line in out.splitlines():
        fields = line.split('\t')
        if len(fields) > 2:
            return float(fields[1])
    sys.exit(f'{process.args}: no figure')


def alone(program, workload):
    return median_ms(start(program, workload))


def two_at_once(program, workload):
    return statistics.mean(median_ms(q) for q in [start(program, workload), start(program, workload)])


def beside_a_busy_neighbour(program, workload):
    busy = subprocess.Popen(BUSY)
    try:
        time.sleep(0.2)
        return median_ms(start(program, workload))
    finally:
        busy.kill()
        busy.wait()


programs = [('ours', [a.ours])]
if a.python:
    programs.append(('torch', [a.python, HERE + '/peer_torch.py']))
print(f'{"workload":20s} {"":6s} {"alone":>9s} {"two at once":>18s} {"busy neighbour":>18s}')
for w in a.workloads or ['mnist_mlp', 'double_backprop', 'tiny_graph', 'elementwise_chain']:
    for name, program in programs:
        rounds = [[f(program, w) for f in (alone, two_at_once, beside_a_busy_neighbour)] for _ in range(a.rounds)]
        one, two, busy = (statistics.median(r[i] for r in rounds) for i in range(3))
        print(f'{w:20s} {name:6s} {one:9.3f} {two:9.3f} x{two / one:7.2f} {busy:9.3f} x{busy / one:7.2f}', flush=True)
