# SPDX-License-Identifier: MIT
"""Functions called by the rows of bench_functions that PyTorch composes from a few operations.

A row's expression can use these names, torch, F (torch.nn.functional) and x, the list of inputs. If PyTorch needs its
weights in another form than the manual's function, a helper converts them before the measurement and returns
`Prepared`: the function and the inputs to differentiate.
"""
from typing import Callable, NamedTuple

import torch
import torch.nn.functional as F
import torch.utils.checkpoint


class Prepared(NamedTuple):
    call: Callable
    leaves: list


def hard_sigmoid(x):
    return torch.clamp(0.2 * x + 0.5, 0, 1)


def identity(x):
    return x.view_as(x)


def lstm(c, x):
    a, i, f, o = x.view(*c.shape, 4).unbind(2)
    c = torch.tanh(a) * torch.sigmoid(i) + torch.sigmoid(f) * c
    return [c, torch.sigmoid(o) * torch.tanh(c)]


def slstm(c1, c2, x1, x2):
    a1, i1, f1, o1 = x1.view(*c1.shape, 4).unbind(2)
    a2, i2, f2, o2 = x2.view(*c2.shape, 4).unbind(2)
    c = torch.tanh(a1) * torch.sigmoid(i1) + torch.tanh(a2) * torch.sigmoid(i2)
    c = c + torch.sigmoid(f1) * c1 + torch.sigmoid(f2) * c2
    return [c, torch.sigmoid(o1 + o2) * torch.tanh(c)]


def tree_lstm(c1, c2, x):
    a, i, o, f1, f2 = x.chunk(5, 1)
    c = torch.tanh(a) * torch.sigmoid(i) + torch.sigmoid(f1) * c1 + torch.sigmoid(f2) * c2
    return [c, torch.sigmoid(o) * torch.tanh(c)]


def glu(x, gate):
    a, b = x.chunk(2, -1)
    return a * gate(b)


def rotary_embedding(x):
    length, size = x.shape[-2:]
    angle = torch.outer(torch.arange(length), 10000.0 ** (torch.arange(0, size, 2) / -size))
    cosine, sine = torch.cos(angle), torch.sin(angle)
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


def transpose_sequence(xs):
    return [torch.stack([x[t] for x in xs if len(x) > t]) for t in range(len(xs[0]))]


def deformable_convolution(x, offset, w):
    n, c, height, width = x.shape
    ky, kx = torch.meshgrid(torch.arange(3.) - 1, torch.arange(3.) - 1, indexing='ij')
    px = torch.arange(float(width)) + kx.reshape(9, 1, 1) + offset[:, :9]
    py = torch.arange(float(height))[:, None] + ky.reshape(9, 1, 1) + offset[:, 9:]
    grid = torch.stack([px * (2 / (width - 1)) - 1, py * (2 / (height - 1)) - 1], -1).view(n, 9 * height, width, 2)
    samples = F.grid_sample(x, grid, align_corners=True).view(n, c, 9, height, width)
    return torch.einsum('nckhw,ock->nohw', samples, w.view(len(w), c, 9))


def local_convolution(x, w):
    u = F.unfold(x, 3).view(len(x), -1, *w.shape[1:3])
    return torch.einsum('nchw,khwc->nkhw', u, w.reshape(*w.shape[:3], -1))


def shift(x):
    height, width, c = x.shape[2], x.shape[3], x.shape[1] // 9
    p, parts = F.pad(x, (1, 1, 1, 1)), []
    for k, (dy, dx) in enumerate([(0, 0), (0, 1), (0, 2), (1, 0), (2, 2), (1, 2), (2, 0), (2, 1)]):
        parts.append(p[:, c * k:c * (k + 1), 2 - dy:2 - dy + height, 2 - dx:2 - dx + width])
    return torch.cat(parts + [x[:, 8 * c:]], 1)


def n_step(kind, x, matrices, directions):
    """torch.lstm and similar functions on the inputs of bench_functions: time steps, matrices, biases."""
    count = matrices * directions
    xs = torch.stack([v.detach() for v in x[:-2 * count]]).requires_grad_()
    half = matrices // 2

    def joined(parts):
        return [torch.cat([v.detach() for v in parts[i:i + half]]).requires_grad_() for i in range(0, count, half)]
    ws, bs = joined(x[-2 * count:-count]), joined(x[-count:])
    weights = [v for d in range(directions) for v in ws[2 * d:2 * d + 2] + bs[2 * d:2 * d + 2]]
    h = torch.zeros(directions, xs.shape[1], len(x[-1]))
    states = (h, h) if kind == 'lstm' else h
    f = getattr(torch, kind)
    return Prepared(lambda: list(f(xs, states, weights, True, 1, 0., True, directions == 2, False)), [xs, *ws, *bs])


def classification_summary(y, t):
    p = y.argmax(1)
    support, predicted, right = (torch.bincount(v, minlength=8) for v in (t, p, t[p == t]))
    precision, recall = right / predicted, right / support
    return [precision, recall, 2 * precision * recall / (precision + recall), support]


def absolute_error(a, b):
    return (a - b).abs()


def squared_error(a, b):
    return (a - b).square()


def contrastive(a, b, y):
    squared = (a - b).square().sum(1)
    return torch.where(y == 1, squared, F.relu(1 - squared.sqrt()).square()).mean() / 2


def cross_covariance(y, z):
    c = (y - y.mean(0)).t() @ (z - z.mean(0)) / len(y)
    return 0.5 * c.square().sum()


def decov(h):
    h = h - h.mean(0)
    c = h.t() @ h / len(h)
    return 0.5 * (c.square().sum() - c.diagonal().square().sum())


def hinge(x, t):
    sign = torch.ones_like(x).scatter_(1, t[:, None], -1)
    return F.relu(1 + sign * x).sum() / len(x)


def triplet(a, p, n):
    return F.relu((a - p).square().sum(1) - (a - n).square().sum(1) + 0.2).mean()


def black_out(x, w, t, samples):
    scores = (F.embedding(torch.cat([t[:, None], samples], 1), w) @ x[:, :, None])[:, :, 0]
    log_p = torch.log_softmax(scores, 1)
    return -(log_p[:, 0] + torch.log(-torch.expm1(log_p[:, 1:])).sum(1)).mean()


def negative_sampling(x, w, t, samples):  # the first column of the samples is for the label
    scores = (F.embedding(torch.cat([t[:, None], samples[:, 1:]], 1), w) @ x[:, :, None])[:, :, 0]
    return F.softplus(-scores[:, 0]).sum() + F.softplus(scores[:, 1:]).sum()


def ctc(x, t):
    lengths = torch.full((len(t),), len(x)), torch.full((len(t),), t.shape[1])
    return F.ctc_loss(x.log_softmax(2), t, *lengths, reduction='none').mean()


def crf1d(cost, xs, ys):
    alpha, score = xs[0], xs[0].gather(1, ys[0][:, None])[:, 0]
    for i in range(1, len(xs)):
        alpha = torch.logsumexp(alpha[:, :, None] + cost, 1) + xs[i]
        score = score + xs[i].gather(1, ys[i][:, None])[:, 0] + cost[ys[i - 1], ys[i]]
    return (torch.logsumexp(alpha, 1) - score).mean()


def argmax_crf1d(cost, xs):
    alpha, back = xs[0], []
    for x in xs[1:]:
        best, path = (alpha[:, :, None] + cost).max(1)
        alpha = best + x
        back.append(path)
    score, p = alpha.max(1)
    paths = [p]
    for b in reversed(back):
        paths.append(b.gather(1, paths[-1][:, None])[:, 0])
    return [score, *reversed(paths)]


def sparse_matmul(b, a):
    """The row's matrix: normal numbers below -1.2816, a tenth of them."""
    a = torch.where(a < -1.2816, a, torch.zeros(())).to_sparse_coo().coalesce()
    return Prepared(lambda: torch.sparse.mm(a, b), [b])


def fft(x, f):
    y = f(torch.complex(x[0], x[1]))
    return [y.real, y.imag]


def erfcinv(x):
    return torch.erfinv(1 - x)


def dropconnect(x, w, b):
    mask = torch.rand(len(x), *w.shape) < 0.5
    return torch.einsum('noi,ni->no', w * mask * 2, x) + b


def batch_renormalization(x, gamma, beta):
    with torch.no_grad():
        var, mean = torch.var_mean(x, (0, 2, 3), correction=0)
        r, d = torch.clamp((var + 2e-5).sqrt(), 1 / 3, 3), torch.clamp(mean, -5, 5)
    return F.batch_norm(x, None, None, gamma * r, beta + gamma * d, training=True, eps=2e-5)


def pyramid(x):
    return torch.cat([F.adaptive_max_pool2d(x, k).flatten(1) for k in (1, 2, 4)], 1)[:, :, None, None]


def upsampling(x, places):
    """Converts indices in windows of 2x2 to PyTorch's indices in the image."""
    height, width = x.shape[2:]
    rows, columns = torch.arange(height)[:, None] * 2 + places // 2, torch.arange(width) * 2 + places % 2
    flat = rows * (2 * width) + columns
    return Prepared(lambda: F.max_unpool2d(x, flat, 2), [x])
