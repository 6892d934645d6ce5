#!/usr/bin/env python3
"""Recomputes in PyTorch the steps that `chainer_bench --check DIR` wrote, and compares to 1e-4 of the largest value.

usage: check.py DIR [WORKLOAD...]
A figure of a benchmark counts only for a workload that passes here. Ends with 1 if one does not.
"""
import glob, os, sys
import numpy as np, torch, torch.nn.functional as F

TOLERANCE = 1e-4


def linear(p, name, x): return F.linear(x, p[f'/{name}/W'], p[f'/{name}/b'])
def mnist_mlp(p, i): return F.cross_entropy(linear(p, 'l3', linear(p, 'l2', linear(p, 'l1', i['x']).relu()).relu()), i['t'].long())
def tiny_graph(p, i):
    h = i['x']
    for _ in range(100): h = torch.tanh(h*p['w'] + i['x'])
    return h.sum()
def elementwise_chain(p, i):
    x = p['x']
    return (x*torch.sigmoid(x) + 0.1*torch.tanh(x) - x*x/2).sum()
def word2vec_ns(p, i):
    h = p['/embed/W'][i['context'].long()].view(-1, 100)
    w = p['/loss/W']
    neg = i['samples'].long()[:, 1:]
    t = i['center'].long()[:, None].expand(-1, 10).reshape(-1)
    pos = (h*w[t]).sum(1); ng = torch.bmm(w[neg], h[:, :, None]).squeeze(2)
    return (F.softplus(-pos).sum() + F.softplus(ng).sum())/10000
def double_backprop(p, i):
    x = i['x'].requires_grad_()
    y = linear(p, 'l3', torch.tanh(linear(p, 'l2', torch.tanh(linear(p, 'l1', x)))))
    g, = torch.autograd.grad(y.sum(), x, create_graph=True)
    return ((g.square().sum(1) + 1e-12).sqrt() - 1).square().mean()


UPDATED = ('mnist_mlp', 'word2vec_ns', 'double_backprop')


def first_adam_step(w, g, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """The first step of Adam with epsilon where the reference has it: beside the root that is not yet corrected."""
    w, g = w.double(), g.double()
    m, v = (1 - beta1)*g, (1 - beta2)*g*g
    return (w - lr*(1 - beta2)**0.5/(1 - beta1)*m/(v.sqrt() + eps)).float()


def check(file, name):
    f = np.load(file)
    def part(head): return {k[len(head):]: torch.from_numpy(f[k].copy()) for k in f.files if k.startswith(head)}
    params = {k: v.requires_grad_() for k, v in part('before/').items()}
    loss = globals()[name](params, part('input/'))
    loss.backward()
    worst, what = 0, ''
    def compare(label, ours, theirs):
        nonlocal worst, what
        error = float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-12))
        if not error <= worst: worst, what = error, label
    compare('loss', torch.from_numpy(f['loss'].copy()), loss.detach())
    for k, g in part('grad/').items(): compare('grad/' + k, g, torch.zeros_like(g) if params[k].grad is None else params[k].grad)
    # The update is recomputed from the gradients compared above: it divides by their size, so that an element which is
    # zero but for rounding would step anywhere.
    if name in UPDATED:
        grads = part('grad/')
        for k, after in part('after/').items(): compare('after/' + k, after, first_adam_step(params[k].detach(), grads[k]))
    return worst, what


files = {os.path.basename(f)[:-4]: f for f in sorted(glob.glob(sys.argv[1] + '/*.npz'))}
names = sys.argv[2:] or list(files)
bad = 0
for name in names:
    worst, what = check(files[name], name)
    ok = worst <= TOLERANCE
    bad |= not ok
    print(f'{name:20s} {"ok" if ok else "DIFFERS":8s} largest relative difference {worst:.2e} ({what})')
if not names: print('no files'); bad = 1
sys.exit(bad)
