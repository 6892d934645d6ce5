#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes the steps written by `chainer_bench --check DIR` in PyTorch, and prints their deviation.

usage: check.py DIR [WORKLOAD...]
Benchmarks are valid only for workloads that pass. The exit status is 1 if a workload fails.

The reference is the step in float64. A step written in float64 (CHAINER_DTYPE=float64) must agree with it to 1e-9 of
each array's largest value (or of 1e-5 of the largest gradient, if that is more), which detects wrong formulas. A step
in float32 must agree to 1e-4. If rounding changes a ReLU's gate or a pooled maximum, each array's deviation must be at
most four times that of PyTorch's own float32 steps: the largest of a plain step, one without oneDNN, one with channels
last, and three with inputs and parameters perturbed by half a unit in the last place. Deviations are relative root mean
squares.
"""
import glob, os, sys
import numpy as np, torch, torch.nn.functional as F

TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-9}  # of the largest value
FACTOR = 4  # of PyTorch's own deviation from the reference


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


def lstm_step(p, name, x, h, c):
    g = F.linear(x, p[f'/{name}/upward/W'], p[f'/{name}/upward/b'])
    if h is not None: g = g + F.linear(h, p[f'/{name}/lateral/W'])
    a, i, f, o = g.view(len(x), -1, 4).unbind(2)
    c = a.tanh()*i.sigmoid() + (0 if c is None else f.sigmoid()*c)
    return o.sigmoid()*c.tanh(), c
def ptb_lstm(p, i):
    words, masks = i['words'].long(), i['masks']
    h1 = c1 = h2 = c2 = None; loss = 0
    for k in range(35):
        h1, c1 = lstm_step(p, 'l1', p['/embed/W'][words[k]]*masks[3*k], h1, c1)
        h2, c2 = lstm_step(p, 'l2', h1*masks[3*k + 1], h2, c2)
        loss = loss + F.cross_entropy(linear(p, 'l3', h2*masks[3*k + 2]), words[k + 1])
    return loss
def n_step_lstm(p, path, layer, x):
    """One sequence through one layer."""
    w, b = [p[f'{path}/{layer}/w{k}'] for k in range(8)], [p[f'{path}/{layer}/b{k}'] for k in range(8)]
    gx = F.linear(x, torch.cat(w[:4]), torch.cat(b[:4])); wh, bh = torch.cat(w[4:]), torch.cat(b[4:])
    h = c = torch.zeros(len(w[0])); out = []
    for t in range(len(x)):
        i, f, a, o = (gx[t] + F.linear(h, wh, bh)).chunk(4)
        c = f.sigmoid()*c + i.sigmoid()*a.tanh(); h = o.sigmoid()*c.tanh(); out.append(h)
    return torch.stack(out)
def nstep_lstm(p, i):
    xs = [i[f'x{k}'] for k in range(64)]
    order = sorted(range(64), key=lambda k: -len(xs[k]))
    rows = [(t, r) for t in range(max(map(len, xs))) for r, k in enumerate(order) if len(xs[k]) > t]
    at = {tr: n for n, tr in enumerate(rows)}  # the position of the mask of a time step and sequence
    for layer in range(3):
        if layer:
            m = i[f'mask{layer}']
            xs = [x*m[[at[t, order.index(k)] for t in range(len(x))]] for k, x in enumerate(xs)]
        xs = [n_step_lstm(p, '/lstm', layer, x) for x in xs]
    return torch.cat(xs).square().mean()
def embed_n_step(p, path, x):
    return torch.cat([n_step_lstm(p, path, 0, x), n_step_lstm(p, path, 1, x.flip(0)).flip(0)], 1)
def dynamic_language_model(p, i):
    words = i['words'].long(); h = c = None; loss = 0
    for k in range(len(words) - 1):
        h, c = lstm_step(p, 'lstm', p['/embed/W'][words[k]], h, c)
        loss = loss + F.cross_entropy(linear(p, 'out', h), words[k + 1])
    return loss
def tagged(p, i, x):
    y = linear(p, 'out', linear(p, 'hidden', embed_n_step(p, '/lstm', x)).tanh())
    return F.cross_entropy(y, i['tags'].long(), reduction='sum')
def dynamic_tagger(p, i): return tagged(p, i, p['/embed/W'][i['words'].long()])
def dynamic_tagger_characters(p, i):
    out = []
    chars = i['characters'].long()
    for n, word in enumerate(i['words'].long()):
        if word < 1000: out.append(p['/embed/W'][word]); continue  # rare words are spelled
        x = p['/embed_characters/W'][chars[n, :i['spelling'][n].long()]]
        out.append(torch.cat([n_step_lstm(p, '/spell', 0, x)[-1], n_step_lstm(p, '/spell', 1, x.flip(0))[-1]]))
    return tagged(p, i, torch.stack(out))
def dynamic_tree(p, i):
    states, loss = [], 0
    for left, right, word, label in i['nodes'].long().tolist():
        g = p['/tree/W_x/b'][None]
        if word >= 0: g = g + F.linear(p['/embed/W'][word][None], p['/tree/W_x/W'])
        cs = []
        for k, child in ((1, left), (2, right)):
            if child >= 0: g = g + F.linear(states[child][1], p[f'/tree/W_h{k}/W'])
            cs.append(states[child][0] if child >= 0 else torch.zeros(1, 128))
        a, gi, o, f1, f2 = g.chunk(5, 1)
        c = a.tanh()*gi.sigmoid() + f1.sigmoid()*cs[0] + f2.sigmoid()*cs[1]
        states.append((c, o.sigmoid()*c.tanh()))
        loss = loss + F.cross_entropy(linear(p, 'out', states[-1][1]), torch.tensor([label]))
    return loss
def conv(p, name, x, **kw): return F.conv2d(x, p[f'/{name}/W'], p.get(f'/{name}/b'), **kw)
def norm(p, name, x): return F.batch_norm(x, None, None, p[f'/{name}/gamma'], p[f'/{name}/beta'], True, eps=1e-5)
def lenet5(p, i):
    h = F.max_pool2d(conv(p, 'conv1', i['x'], padding=2).relu(), 2)
    h = F.max_pool2d(conv(p, 'conv2', h).relu(), 2)
    h = conv(p, 'conv3', h).relu().flatten(1)
    return F.cross_entropy(linear(p, 'fc5', linear(p, 'fc4', h).relu()), i['t'].long())
def vgg_cifar(p, i):
    h = i['x']
    for k in range(13):
        h = norm(p, f'blocks/{k}/bn', conv(p, f'blocks/{k}/conv', h, padding=1)).relu()
        if k in (1, 3, 6, 9, 12): h = F.max_pool2d(h, 2)
    h = norm(p, 'bn', F.linear(h.flatten(1)*i['mask1'], p['/fc1/W'])).relu()*i['mask2']
    return F.cross_entropy(linear(p, 'fc2', h), i['t'].long())
def resnet50(p, x, norm):
    h = F.max_pool2d(norm(p, 'bn1', conv(p, 'conv1', x, stride=2, padding=3)).relu(), 3, 2)
    k = 0
    for stage, n in enumerate((3, 4, 6, 3)):
        for b in range(n):
            name = f'blocks/{k}/'; k += 1
            stride = 2 if stage and not b else 1
            y = norm(p, name + 'bn1', conv(p, name + 'conv1', h, stride=stride)).relu()
            y = norm(p, name + 'bn2', conv(p, name + 'conv2', y, padding=1)).relu()
            y = norm(p, name + 'bn3', conv(p, name + 'conv3', y))
            h = (y + (h if b else norm(p, name + 'bn4', conv(p, name + 'conv4', h, stride=stride)))).relu()
    return linear(p, 'fc', h.mean((2, 3)))
def resnet50_train(p, i): return F.cross_entropy(resnet50(p, i['x'], norm), i['t'].long())
def resnet50_infer(p, i):
    def at_first(p, name, x):  # initial running statistics
        c = x.shape[1]
        return F.batch_norm(x, torch.zeros(c), torch.ones(c), p[f'/{name}/gamma'], p[f'/{name}/beta'], False, eps=1e-5)
    return resnet50(p, i['x'], at_first).sum()
def dcgan(p, i):
    def generate(z):
        h = norm(p, 'gen/bn0', linear(p, 'gen/l0', z)).relu().view(-1, 512, 4, 4)
        for k in (1, 2, 3): h = norm(p, f'gen/bn{k}', F.conv_transpose2d(h, p[f'/gen/dc{k}/W'], p[f'/gen/dc{k}/b'], 2, 1)).relu()
        return F.conv_transpose2d(h, p['/gen/dc4/W'], p['/gen/dc4/b'], 1, 1).sigmoid()
    def judge(x):
        h = x
        for k in range(7):
            h = conv(p, f'dis/convs/{k}', h, stride=1 + (k in (1, 3, 5)), padding=1)
            if k: h = norm(p, f'dis/bns/{k - 1}', h)
            h = F.leaky_relu(h, 0.2)
        return linear(p, 'dis/out', h.flatten(1))
    fake = generate(i['z'])
    of_gen = {k: v for k, v in p.items() if k.startswith('/gen/')}
    grads = torch.autograd.grad(F.softplus(-judge(fake)).mean(), list(of_gen.values()))
    loss = F.softplus(-judge(i['x'])).mean() + F.softplus(judge(fake.detach())).mean()
    for v, g in zip(of_gen.values(), grads): v.grad = g
    return loss

def transformer_layer(p, path, x, heads, first, act, causal, eps):
    n, l, d = x.shape
    def normed(k, y): return F.layer_norm(y, (d,), p[f'{path}/norm{k}/gamma'], p[f'{path}/norm{k}/beta'], eps)
    def dense(name, y): return F.linear(y, p[f'{path}/{name}/W'], p[f'{path}/{name}/b'])
    def attend(y):
        q, k, v = (dense('attention/' + s, y).view(n, l, heads, d//heads).transpose(1, 2) for s in ('query', 'key', 'value'))
        s = q@k.transpose(2, 3)/(d//heads)**0.5
        if causal: s = s.masked_fill(torch.ones(l, l).triu(1).bool(), -torch.inf)
        return dense('attention/output', (s.softmax(3)@v).transpose(1, 2).reshape(n, l, d))
    def feed(y): return dense('linear2', act(dense('linear1', y)))
    if first:
        x = x + attend(normed(1, x))
        return x + feed(normed(2, x))
    x = normed(1, x + attend(x))
    return normed(2, x + feed(x))
def gelu_tanh(x): return F.gelu(x, approximate='tanh')
def gpt(p, i, layers, heads):
    x = i['x'].long(); h = p['/words/W'][x] + p['/positions/W'][:x.shape[1]]
    for k in range(layers): h = transformer_layer(p, f'/encoder/layers/{k}', h, heads, True, gelu_tanh, True, 1e-5)
    h = F.layer_norm(h, h.shape[2:], p['/encoder/norm/gamma'], p['/encoder/norm/beta'], 1e-5)
    return F.cross_entropy(F.linear(h, p['/words/W']).flatten(0, 1), i['t'].long().flatten())
def gpt_train(p, i): return gpt(p, i, 4, 4)
def gpt2_train(p, i): return gpt(p, i, 12, 12)
def attention_long(p, i):
    h = i['x']
    for k in range(2): h = transformer_layer(p, f'/layers/{k}', h, 8, True, F.gelu, True, 1e-5)
    return h.square().mean()
def vit_train(p, i):
    h = conv(p, 'patches', i['x'], stride=4).flatten(2).transpose(1, 2) + p['/positions/W']
    for k in range(6): h = transformer_layer(p, f'/encoder/layers/{k}', h, 3, True, F.gelu, False, 1e-5)
    h = F.layer_norm(h, (192,), p['/encoder/norm/gamma'], p['/encoder/norm/beta'], 1e-5)
    return F.cross_entropy(linear(p, 'head', h.mean(1)), i['t'].long())
def bert_infer(p, i):
    x = i['ids'].long(); h = p['/words/W'][x] + p['/positions/W'][:x.shape[1]] + p['/types/W'][0]
    h = F.layer_norm(h, h.shape[2:], p['/norm/gamma'], p['/norm/beta'], 1e-12)
    for k in range(6): h = transformer_layer(p, f'/encoder/layers/{k}', h, 12, False, F.gelu, False, 1e-12)
    return h.relu().sum()
bert_infer_32 = bert_infer


CLIPPED = {'ptb_lstm': 5.0}  # maximum norm of the gradients
UPDATED = ('mnist_mlp', 'word2vec_ns', 'double_backprop', 'nstep_lstm', 'lenet5')
BY_MOMENTUM = {'vgg_cifar': 0.05, 'resnet50_train': 0.01}  # the first step is -rate times the gradient
WITHOUT_GRADIENTS = ('resnet50_infer', 'bert_infer', 'bert_infer_32')


def first_adam_step(w, g, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """The first step of Adam, with epsilon added to the uncorrected root as in the release."""
    dtype, w, g = w.dtype, w.double(), g.double()
    m, v = (1 - beta1)*g, (1 - beta2)*g*g
    return (w - lr*(1 - beta2)**0.5/(1 - beta1)*m/(v.sqrt() + eps)).to(dtype)


def step(name, inputs, params, dtype, change=lambda a: a):
    """Returns loss and gradients by PyTorch in `dtype`, after applying `change` to inputs and parameters."""
    convert = lambda a: change(a.to(dtype)) if a.is_floating_point() else a
    p = {k: convert(v).detach().clone().requires_grad_() for k, v in params.items()}
    torch.set_default_dtype(dtype)
    try:
        loss = globals()[name](p, {k: convert(v).clone() for k, v in inputs.items()})
        if name not in WITHOUT_GRADIENTS: loss.backward()
    finally: torch.set_default_dtype(torch.float32)
    if name in CLIPPED: torch.nn.utils.clip_grad_norm_(p.values(), CLIPPED[name])
    out = {'grad/' + k: torch.zeros_like(v) if v.grad is None else v.grad for k, v in p.items()}
    return {'loss': loss.detach(), **out}


def own_steps(name, inputs, params):
    """Yields the step by PyTorch in float32, with several kinds of rounding."""
    yield step(name, inputs, params, torch.float32)
    with torch.backends.mkldnn.flags(enabled=False): yield step(name, inputs, params, torch.float32)
    yield step(name, inputs, params, torch.float32, lambda a: a.to(memory_format=torch.channels_last) if a.ndim == 4 else a)
    random = torch.Generator().manual_seed(0)
    for _ in range(3):
        yield step(name, inputs, params, torch.float32, lambda a: a*(1 + (torch.rand(a.shape, generator=random) - 0.5)*2**-23))


def largest(a, truth, least=1e-12): return float((a.double() - truth).abs().max() / truth.abs().max().clamp(min=least))
def distance(a, truth): return float((a.double() - truth).norm())


def check(file, name):
    """Returns the largest deviation relative to the tolerance, and its description."""
    f = np.load(file)
    def part(head): return {k[len(head):]: torch.from_numpy(f[k].copy()) for k in f.files if k.startswith(head)}
    inputs, params, grads = part('input/'), part('before/'), part('grad/')
    ours = {'loss': torch.from_numpy(f['loss'].copy()), **{'grad/' + k: g for k, g in grads.items()}}
    tolerance = TOLERANCE[ours['loss'].dtype]
    truth = step(name, inputs, params, torch.float64)
    worst, what = 0, 'no difference'
    def found(share, text):
        nonlocal worst, what
        if not share <= worst: worst, what = share, text
    beyond = {}
    # The gradient of a bias before a normalization is only rounding error, judged relative to other gradients.
    least = max([1e-12] + [1e-5*float(truth[k].abs().max()) for k in ours if k != 'loss'])
    for k, a in ours.items():
        # A key's bias adds the same to all scores of a query, so its gradient is zero: judged relative to the weights'.
        of_weights = float(truth[k[:-1] + 'W'].abs().max()) if k.endswith('attention/key/b') else 0
        error = largest(a, truth[k], max(least, of_weights))
        if error <= tolerance or tolerance < 1e-4: found(error/tolerance, f'{k}: {error:.1e} of the largest value')
        else: beyond[k] = 0
    if beyond:
        for own in own_steps(name, inputs, params):
            for k in beyond: beyond[k] = max(beyond[k], distance(own[k], truth[k]))
    for k, noise in beyond.items():
        error, size = distance(ours[k], truth[k]), float(truth[k].norm())
        found(error/(FACTOR*noise), f'{k}: {error/size:.1e}, PyTorch {noise/size:.1e}, {error/noise:.2f} times')
    # The update is recomputed from the gradients compared above: it divides by their magnitude, so rounding errors of
    # zero gradients would give arbitrary steps.
    for k, after in part('after/').items():
        if name in UPDATED: error = largest(after, first_adam_step(params[k], grads[k]).double())
        elif name in BY_MOMENTUM: error = largest(after, (params[k] - BY_MOMENTUM[name]*grads[k]).double())
        else: continue
        found(error/tolerance, f'after/{k}: {error:.1e} of the largest value')
    if beyond: what += f'; {len(beyond)} of {len(ours)} arrays beyond {tolerance:.0e}'
    return worst, what


files = {os.path.basename(f)[:-4]: f for f in sorted(glob.glob(sys.argv[1] + '/*.npz'))}
names = sys.argv[2:] or list(files)
bad = 0
for name in names:
    worst, what = check(files[name], name)
    bad |= not worst <= 1
    print(f'{name:26s} {"ok" if worst <= 1 else "DIFFERS":8s} at {worst:.2f} of what is allowed ({what})', flush=True)
if not names: print('no files'); bad = 1
sys.exit(bad)
