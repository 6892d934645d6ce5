#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a table of comma-separated values by pandas, in turns with bench_data, and prints the ratios.

usage: tables.py --ours build/release/benchmarks/bench_data [--rows 1000000] [--turns 5]         (Python with pandas)

The table has eight columns of numbers and two of categories. Both programs return the numbers as one float32 array and
the categories as integers. A ratio under 1 means that the project is faster.
"""
import argparse, os, statistics, subprocess, tempfile, time
import numpy, pandas

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--rows', type=int, default=1000000)
p.add_argument('--turns', type=int, default=5)
p.add_argument('--threads', type=int, default=2)
a = p.parse_args()
temporary = tempfile.TemporaryDirectory()
path = os.path.join(temporary.name, 'table.csv')
r = numpy.random.default_rng(0)
numbers = r.normal(size=(a.rows, 8)).astype(numpy.float32)
with open(path, 'w') as f:
    f.write(','.join(f'n{i}' for i in range(8)) + ',colour,city\n')
    for row, colour, city in zip(numbers.tolist(), r.integers(0, 12, a.rows).tolist(), r.integers(0, 1000, a.rows).tolist()):
        f.write(','.join(f'{v:.6g}' for v in row) + f',colour{colour},"city, {city}"\n')
names = [f'n{i}' for i in range(8)]


def theirs():
    begin = time.perf_counter()
    table = pandas.read_csv(path)
    x = table[names].to_numpy(numpy.float32)
    kinds = [table[c].astype('category').cat.codes.to_numpy() for c in ('colour', 'city')]
    return (time.perf_counter() - begin) * 1e3, float(x.sum(dtype=numpy.float64)), sum(int(k.sum()) for k in kinds)


def ours():
    r = subprocess.run([a.ours, 'table', path, str(a.threads)], capture_output=True, text=True, check=True)
    ms, total, kinds = r.stdout.split()
    return float(ms), float(total), int(kinds)


pairs = [(ours(), theirs()) for _ in range(a.turns)]
for o, t in pairs:
    assert abs(o[1] - t[1]) < 1e-3 * a.rows ** 0.5 and o[2] == t[2], (o, t)
mine, other = (statistics.median(x[0] for x in each) for each in zip(*pairs))
megabytes = os.path.getsize(path) / 1e6
print(f'{a.rows} rows, {megabytes:.0f} MB: ours {mine:.0f} ms ({megabytes / mine * 1e3:.0f} MB/s), pandas {other:.0f} ms, '
      f'ratio {statistics.median(x[0] / y[0] for x, y in pairs):.2f}')
