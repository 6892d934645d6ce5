#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks for sizes at which a function suddenly becomes slower or faster, and for times that grow faster than the data.

usage: growth.py BENCH_FUNCTIONS [options] [FUNCTION...]
  --axis NAME    rows, columns or sides (benchmarks/functions/table.h); all by default (may be repeated)
  --largest N    the largest number of elements (4194304)
  --threads N    threads to use (1)
  --cliff X      report neighbouring sizes whose time per element differs by more than this factor (1.3)
  --exponent X   report functions whose time grows with a larger exponent from 1 to 8 million elements (1.05; not for
                 `sides`, and only if N is at least 1048576)
  --json FILE    write all times to FILE
Sizes are powers of two, one less, one more, and steps of about a sixth between them. What looks suspicious is measured
again, both sizes alternately. Several threads take a part each of large operations, so with more than one thread only
sizes that become slower are reported.
"""
import argparse, json, math, subprocess, sys

p = argparse.ArgumentParser(usage=__doc__)
p.add_argument('bench'); p.add_argument('functions', nargs='*')
p.add_argument('--axis', action='append'); p.add_argument('--largest', type=int, default=1 << 22)
p.add_argument('--threads', type=int, default=1); p.add_argument('--cliff', type=float, default=1.3)
p.add_argument('--exponent', type=float, default=1.05); p.add_argument('--json')
a = p.parse_intermixed_args()


def rows():
    listed = subprocess.run([a.bench, '--list'], capture_output=True, text=True, check=True).stdout
    return [r for r in map(json.loads, listed.splitlines()) if 'absent' not in r]


class Server:
    """bench_functions --serve, started again after a size that ended it."""

    def __init__(self):
        self.start()

    def start(self):
        self.program = subprocess.Popen([a.bench, '--threads', str(a.threads), '--serve'], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def time(self, name, size, seconds):
        """Returns milliseconds, or None if the function does not take the size."""
        self.program.stdin.write(f'{name} {size} {seconds}\n')
        self.program.stdin.flush()
        line = self.program.stdout.readline()
        if not line:
            print(f'{name:32s} {size}: the program ended with status {self.program.wait()}', flush=True)
            self.start()
            return None
        answer = json.loads(line)
        return None if 'error' in answer else answer['least']


def sizes(axis):
    most = math.isqrt(a.largest) if axis == 'sides' else a.largest // 64
    found = set()
    for power in range(2, most.bit_length()):
        for step in range(6):
            found.add(round(2 ** (power + step / 6)))
        found |= {(1 << power) - 1, (1 << power) + 1}
    return sorted(n for n in found if n <= most)


def scan(server, name, axis, out):
    times = {}
    for n in sizes(axis):
        t = server.time(name, f'{axis}:{n}', 0.002)
        if t is None: continue
        times[n] = t
        if t > 400: break  # functions of more than linear cost
    out[f'{name} {axis}'] = times
    found = 0
    known = sorted(times)

    def again(n, m):
        """Returns the times of two sizes, or None if the function does not take one of them."""
        turns = [[server.time(name, f'{axis}:{size}', 0.01) for size in (n, m)] for _ in range(4)]
        return None if None in sum(turns, []) else tuple(map(min, zip(*turns)))

    for n, m in zip(known, known[1:]):
        grown = m / n if axis != 'sides' else (m / n) ** 3
        suspicious = lambda x, y: y / x > a.cliff * grown or (x / y > a.cliff and a.threads == 1)
        if times[n] < 0.002 and times[m] < 0.002 or not suspicious(times[n], times[m]): continue
        both = again(n, m)
        if both and suspicious(*both):
            x, y = both
            found += 1
            print(f'{name:32s} {axis}: {n} -> {m}: {x:.4g} -> {y:.4g} ms, {y / x:.2f} times', flush=True)
    # Beyond the caches, from a million elements.
    base = (1 << 20) // 64
    if axis != 'sides' and known and known[-1] >= base:
        both = again(base, 8 * base)
        exponent = math.log(both[1] / both[0]) / math.log(8) if both else 0
        if exponent > a.exponent:
            x, y = both
            found += 1
            print(f'{name:32s} {axis}: {base} -> {8 * base}: {x:.4g} -> {y:.4g} ms, exponent {exponent:.2f}', flush=True)
    return found


known = rows()
names = a.functions or [r['name'] for r in known]
unknown = set(names) - {r['name'] for r in known}
if unknown: sys.exit('growth.py: no function named ' + ', '.join(sorted(unknown)))
server, out = Server(), {}
found = sum(scan(server, name, axis, out) for axis in a.axis or ['rows', 'columns', 'sides'] for name in names)
if a.json: json.dump(out, open(a.json, 'w'))
print(f'{found} found')
