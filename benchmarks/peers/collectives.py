#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mean of gradients over ranks on this machine, next to PyTorch's all-reduce by Gloo.

usage: PYTHON_WITH_TORCH collectives.py --ours build/release/benchmarks/bench_mn_collectives [--ranks 2 4 8]
                                        [--rounds 3]

Both programs run in turns, with one thread per rank. Prints for each number of ranks and of bytes the minimum in
microseconds of the communicator `hierarchical` and of `torch.distributed.all_reduce`, and the ratio: below 1, the
project is faster.
"""
import argparse, os, subprocess, sys, tempfile, time

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--ranks', type=int, nargs='+', default=[2, 4, 8])
p.add_argument('--rounds', type=int, default=3)
p.add_argument('--largest', type=int, default=64 << 20)
p.add_argument('--rank', type=int, help=argparse.SUPPRESS)  # runs as one of PyTorch's ranks
p.add_argument('--store', help=argparse.SUPPRESS)
a = p.parse_args()


def repetitions(size):
    return 50 if size < 1 << 16 else 10 if size < 1 << 23 else 3


def sizes():
    size = 4
    while size <= a.largest:
        yield size
        size *= 4


def measure_torch():
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group('gloo', init_method='file://' + a.store, rank=a.rank, world_size=a.ranks[0])
    for size in sizes():
        x = torch.ones(size // 4)
        least = float('inf')
        for i in range(repetitions(size) + 1):
            dist.barrier()
            start = time.perf_counter()
            dist.all_reduce(x)
            x /= a.ranks[0]
            took = torch.tensor(time.perf_counter() - start)
            dist.all_reduce(took, op=dist.ReduceOp.MAX)
            if i:
                least = min(least, took.item())
        if a.rank == 0:
            print(size, least * 1e6)
    dist.destroy_process_group()


def theirs(ranks):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, '--ours', '-', '--ranks', str(ranks), '--largest', str(a.largest),
                   '--store', folder + '/store', '--rank']
        started = [subprocess.Popen(command + [str(r)], stdout=subprocess.PIPE if r == 0 else subprocess.DEVNULL,
                                    text=True, env={**os.environ, 'OMP_NUM_THREADS': '1'}) for r in range(ranks)]
        out = started[0].communicate()[0]
        for process in started:
            process.wait()
    return {int(size): float(us) for size, us in (line.split() for line in out.splitlines())}


def ours(ranks):
    out = subprocess.run(['mpiexec', '--allow-run-as-root', '--oversubscribe', '-n', str(ranks), a.ours,
                          str(a.largest)], capture_output=True, text=True, check=True,
                         env={**os.environ, 'OMP_NUM_THREADS': '1'}).stdout.splitlines()
    column = out[1].replace('mean ', 'mean_').split().index('mean_hierarchical')
    return {int(line.split()[0]): float(line.split()[column]) for line in out[2:]}


if a.rank is not None:
    measure_torch()
    sys.exit()
print(f'{"ranks":>5s} {"bytes":>10s} {"hierarchical, us":>17s} {"Gloo, us":>10s} {"ratio":>6s}')
for ranks in a.ranks:
    results = [(ours(ranks), theirs(ranks)) for _ in range(a.rounds)]
    for size in sizes():
        x, y = (min(r[side][size] for r in results) for side in (0, 1))
        print(f'{ranks:5d} {size:10d} {x:17.1f} {y:10.1f} {x / y:6.2f}')
