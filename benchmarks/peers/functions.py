#!/usr/bin/env python3
"""Runs bench_functions and PyTorch in turns on the same functions, forward and backward, and prints the ratios.

usage: functions.py BENCH_FUNCTIONS [ROUNDS [FUNCTION...]]      (with a Python that has torch)
"""
import json
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(2)
torch.manual_seed(0)


def normal(*shape):
    return torch.randn(*shape, requires_grad=True)


def uniform(low, high, *shape):
    return (torch.rand(*shape) * (high - low) + low).requires_grad_()


def crf1d(cost, xs, ys):
    alpha, score = xs[0], xs[0].gather(1, ys[0][:, None])[:, 0]
    for i in range(1, len(xs)):
        alpha = torch.logsumexp(alpha[:, :, None] + cost, 1) + xs[i]
        score = score + xs[i].gather(1, ys[i][:, None])[:, 0] + cost[ys[i - 1], ys[i]]
    return (torch.logsumexp(alpha, 1) - score).mean()


def black_out(x, t, W, samples):
    scores = (F.embedding(torch.cat([t[:, None], samples], 1), W) @ x[:, :, None])[:, :, 0]
    log_p = torch.log_softmax(scores, 1)
    return -(log_p[:, 0] + torch.log(-torch.expm1(log_p[:, 1:])).sum(1)).mean()


x, t = normal(200, 32, 80), torch.randint(1, 80, (32, 40))
lengths = torch.full((32,), 200), torch.full((32,), 40)
cost, xs, ys = normal(20, 20), [normal(64, 20) for _ in range(50)], [torch.randint(0, 20, (64,)) for _ in range(50)]
bx, bW, bt, bs = normal(128, 300), normal(20000, 300), torch.randint(0, 20000, (128,)), torch.randint(0, 20000, (128, 50))
image, grid = normal(8, 3, 64, 64), uniform(-1, 1, 8, 64, 64, 2)
a, b, m = normal(16, 128, 64), normal(16, 64, 128), normal(64, 32, 32)
rows, gamma, beta = normal(256, 1024), torch.ones(1024, requires_grad=True), torch.zeros(1024, requires_grad=True)
wide, slopes = normal(128, 2048), torch.full((2048,), 0.25, requires_grad=True)
re, im = normal(64, 4096), normal(64, 4096)
positive, small = uniform(0.5, 3, 262144), uniform(-0.9, 0.9, 262144)
CASES = {
    'ctc': (lambda: F.ctc_loss(x.log_softmax(2), t, *lengths), [x]),
    'crf1d': (lambda: crf1d(cost, xs, ys), [cost, *xs]),
    'black_out': (lambda: black_out(bx, bt, bW, bs), [bx, bW]),
    'spatial_transformer_sampler': (lambda: F.grid_sample(image, grid, align_corners=True), [image, grid]),
    'resize_images': (lambda: F.interpolate(image, (128, 128), mode='bilinear', align_corners=True), [image]),
    'im2col': (lambda: F.unfold(image, 3, padding=1), [image]),
    'einsum': (lambda: torch.einsum('bij,bjk->bik', a, b), [a, b]),
    'layer_normalization': (lambda: F.layer_norm(rows, (1024,), gamma, beta), [rows, gamma, beta]),
    'prelu': (lambda: F.prelu(wide, slopes), [wide, slopes]),
    'batch_inv': (lambda: torch.linalg.inv(m), [m]),
    'fft': (lambda: torch.fft.fft(torch.complex(re, im)).real, [re, im]),
    'digamma': (lambda: torch.digamma(positive), [positive]),
    'erfinv': (lambda: torch.erfinv(small), [small]),
}


def theirs(name):
    f, roots = CASES[name]
    times, end = [], time.perf_counter() + 0.5
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        for v in roots:
            v.grad = None
        f().sum().backward()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def ours(program, name):
    out = subprocess.run([program, f'--benchmark_filter=^{name}/', '--benchmark_format=json', '--benchmark_min_time=0.5'],
                         capture_output=True, check=True, text=True).stdout
    return json.loads(out)['benchmarks'][0]['real_time'] / 1e6


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print(f'{"function":28s} {"ours ms":>9s} {"torch ms":>9s} {"ratio":>6s} {"spread":>12s}')
    for name in sys.argv[3:] or CASES:
        pairs = [(ours(program, name), theirs(name)) for _ in range(rounds)]
        ratios = sorted(o / p for o, p in pairs)
        o, p = (statistics.median(v) for v in zip(*pairs))
        print(f'{name:28s} {o:9.3f} {p:9.3f} {ratios[len(ratios) // 2]:6.2f} {ratios[0]:5.2f}-{ratios[-1]:.2f}', flush=True)


main()
