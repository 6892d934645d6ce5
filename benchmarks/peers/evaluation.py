#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An evaluation over 10,000 examples (784-1000-1000-10, batches of 100), next to a loop over PyTorch's DataLoader.

usage: PYTHON_WITH_TORCH evaluation.py --ours build/release/benchmarks/bench_data [--turns 3] [--seconds 3]

Both compute the loss and the accuracy of each batch with two threads. A ratio under 1 means that the project is faster.
"""
import argparse, statistics, subprocess, time

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--turns', type=int, default=3)
p.add_argument('--seconds', type=float, default=3)
a = p.parse_args()
torch.set_num_threads(2)
model = nn.Sequential(nn.Linear(784, 1000), nn.ReLU(), nn.Linear(1000, 1000), nn.ReLU(), nn.Linear(1000, 10)).eval()
data = torch.utils.data.TensorDataset(torch.rand(10000, 784), torch.randint(0, 10, (10000,)))
loader = torch.utils.data.DataLoader(data, batch_size=100)


def evaluate():
    begin = time.perf_counter()
    loss = correct = 0.0
    with torch.no_grad():
        for x, t in loader:
            y = model(x)
            loss += nn.functional.cross_entropy(y, t).item()
            correct += (y.argmax(1) == t).float().mean().item()
    return (time.perf_counter() - begin) * 1e3


def theirs():
    start, all_ms = time.perf_counter(), []
    while time.perf_counter() - start < a.seconds or len(all_ms) < 3:
        all_ms.append(evaluate())
    return statistics.median(all_ms)


def ours():
    out = subprocess.run([a.ours, 'evaluate', str(a.seconds)], capture_output=True, text=True, check=True).stdout
    return float(out.split()[0])


pairs = [(ours(), theirs()) for _ in range(a.turns)]
mine, other = (statistics.median(v) for v in zip(*pairs))
print(f'ours {mine:.0f} ms, PyTorch {other:.0f} ms, ratio {statistics.median(x / y for x, y in pairs):.2f}')
