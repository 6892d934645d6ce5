#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of a mean of gradients on a network, from latency and bandwidth.

    benchmarks/mn/model.py                       the table of docs/distributed.md (1,024 ranks, ResNet50)
    benchmarks/mn/model.py RANKS BYTES US GBIT   one point: a ring, a tree, seconds

A message of m bytes takes a + m / B. A ring of n sends 2 (n - 1) messages of S / n; a binomial tree sends 2 log2 n of
S; two levels average over the g ranks of a host in memory of bandwidth M, then in rings of h hosts, whose slices share
the host's link. A step computes for T seconds, of which backward, about two thirds, can overlap with the mean.
"""
import math
import sys

S = 25.56e6 * 4  # ResNet50's parameters in float32
T = 0.200        # a step of one rank, seconds


def ring(n, size, a, b):
    return 2 * (n - 1) * a + 2 * (n - 1) / n * size / b


def tree(n, size, a, b):
    return 2 * math.ceil(math.log2(n)) * (a + size / b)


def two_level(n, g, size, a, b, memory):
    h = n // g
    return 2 * size / memory + ring(h, size, a, b)


def row(name, cost):
    alone, hidden = T / (T + cost), T / (T + max(0.0, cost - 2 * T / 3))
    print(f"| {name} | {cost * 1e3:.0f} ms | {alone * 100:.0f} % | {hidden * 100:.0f} % |")


def table():
    n, g, memory = 1024, 8, 8e9
    for gbit, a in ((10, 30e-6), (100, 3e-6)):
        b = gbit / 8 * 1e9 * 0.9
        for bits, size in ((32, S), (16, S / 2)):
            print(f"\n{gbit} Gbit/s, {a * 1e6:.0f} us a message, {bits} bits a number")
            row("ring", ring(n, size, a, b))
            row("tree", tree(n, size, a, b))
            row("two levels, 8 ranks a host", two_level(n, g, size, a, b, memory))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        table()
    else:
        ranks, size, us, gbit = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
        link = (us * 1e-6, gbit / 8 * 1e9)
        print(f"ring {ring(ranks, size, *link):.6f} s, tree {tree(ranks, size, *link):.6f} s")
