# SPDX-License-Identifier: MIT
"""Links: parameters, forward, gradients, files, copies."""
import io

import numpy

import chainer
import chainer.functions as F
import chainer.links as L


def _look(r, see, link, *xs, **kwargs):
    """What a call of a link gives, its gradients, and its parameters afterwards."""
    xs = [chainer.Variable(x) if isinstance(x, numpy.ndarray) and x.dtype.kind == 'f' else x for x in xs]
    see([(n, p.shape if p.array is not None else None) for n, p in sorted(link.namedparams())])
    ys = link(*xs, **kwargs)
    ys = ys if isinstance(ys, tuple) else (ys,)
    see(*ys)
    loss = sum([F.sum(y * y * 0.5) for y in ys if isinstance(y, chainer.Variable) and y.dtype.kind == 'f'])
    link.cleargrads()
    if isinstance(loss, chainer.Variable):
        loss.backward()
    for _, p in sorted(link.namedparams()):
        see(p.array, p.grad)
    see(*[x.grad for x in xs if isinstance(x, chainer.Variable)])
    if r.chance(0.3):
        f = io.BytesIO()
        chainer.serializers.save_npz(f, link)
        f.seek(0)
        with numpy.load(f, allow_pickle=True) as z:
            see({k: z[k] for k in z.files})
    if r.chance(0.3):
        copied = link.copy(r.one('share', 'copy', 'init'))
        see([(n, p.array is None or p.array.shape, p.grad is None) for n, p in sorted(copied.namedparams())])
        see(copied.count_params())


def _initial(r, shape, dtype='f'):
    return r.one(None, None, 0.5, chainer.initializers.Normal(0.3), chainer.initializers.HeNormal(),
                 chainer.initializers.GlorotUniform(), r.array(shape, dtype))


def linear(r, see):
    dtype = r.dtype()
    chainer.global_config.dtype = numpy.dtype(dtype)
    n_in, n_out, more = r.int(1, 5), r.int(1, 5), r.shape(0, 2)
    total = n_in * int(numpy.prod(more))
    link = L.Linear(r.one(None, total, total, total + 1), n_out, r.chance(0.3), _initial(r, (n_out, total), dtype),
                    r.one(None, 0.3, r.array(n_out, dtype)))
    if r.chance(0.3):
        _look(r, see, link, r.array((r.int(1, 3), r.int(1, 3), total), dtype), n_batch_axes=2)
    else:
        _look(r, see, link, r.array((r.int(1, 3), n_in) + more, dtype))


def convolution(r, see):
    dtype = r.dtype()
    chainer.global_config.dtype = numpy.dtype(dtype)
    groups = r.one(1, 1, 2)
    c, o, k = groups * r.int(1, 2), groups * r.int(1, 2), r.one(1, 2, 3, (2, 3), (3, 1))
    kh, kw = k if isinstance(k, tuple) else (k, k)
    options = dict(stride=r.one(1, 2, (1, 2)), pad=r.one(0, 1, (1, 0)), nobias=r.chance(0.3), groups=groups,
                   initialW=r.one(None, 0.2, r.array((o, c // groups, kh, kw), dtype)),
                   initial_bias=r.one(None, 0.1, r.array(o, dtype)))
    if r.chance(0.3):
        options['dilate'] = r.one(1, 2, (1, 2))
    x = r.array((r.int(1, 2), c, r.int(4, 7), r.int(4, 7)), dtype)
    _look(r, see, L.Convolution2D(r.one(c, None), o, k, **options), x)


def deconvolution(r, see):
    groups = r.one(1, 1, 2)
    c, o, k = groups * r.int(1, 2), groups * r.int(1, 2), r.one(1, 2, 3, (2, 3))
    s, p = r.one(1, 2), r.one(0, 1)
    kh = k if isinstance(k, int) else k[0]
    kw = k if isinstance(k, int) else k[1]
    h, w = r.int(2, 4), r.int(2, 4)
    outsize = r.one(None, None, (s * (h - 1) + kh - 2 * p, s * (w - 1) + kw - 2 * p),
                    (s * h + kh - 2 * p, s * w + kw))
    link = L.Deconvolution2D(r.one(c, None), o, k, stride=s, pad=p, nobias=r.chance(0.3), outsize=outsize,
                             groups=groups)
    _look(r, see, link, r.array((r.int(1, 2), c, h, w)))


def convolution_nd(r, see):
    n, c, o = r.int(1, 3), r.int(1, 2), r.int(1, 2)
    k = r.one(2, 1, (2,) * n)
    kind, options = r.one(L.ConvolutionND, L.DeconvolutionND), dict(stride=r.one(1, 2), pad=r.one(0, 1))
    if r.chance(0.5):
        link = kind(n, r.one(c, None), o, k, nobias=r.chance(0.3), dilate=r.one(1, 1, 2), **options)
    else:
        name = '%s%dD' % (kind.__name__[:-2], n)
        link = getattr(L, name)(c, o, k, nobias=r.chance(0.3), **options)
    _look(r, see, link, r.array((r.int(1, 2), c) + tuple(r.int(3, 5) for _ in range(n))))


def other_convolutions(r, see):
    x = r.array((r.int(1, 2), 2, r.int(4, 6), r.int(4, 6)))
    h, w = x.shape[2:]
    k = r.one(1, 2, 3)
    link = r.one(
        lambda: L.DepthwiseConvolution2D(r.one(2, None), r.int(1, 2), k, r.one(1, 2), r.one(0, 1), r.chance(0.3)),
        lambda: L.DilatedConvolution2D(r.one(2, None), 3, k, 1, r.one(0, 1), r.one(1, 2), r.chance(0.3)),
        lambda: L.LocalConvolution2D(r.one(2, None), 3, r.one((h, w), None), k, r.one(1, 2), r.chance(0.3)),
        lambda: L.MLPConvolution2D(r.one(2, None), (3, 2), k, r.one(1, 2), r.one(0, 1), r.one(F.relu, F.tanh)),
        lambda: L.DeformableConvolution2D(r.one(2, None), 3, k, 1, r.one(0, 1), r.chance(0.3),
                                          offset_initialW=0.1, deform_nobias=r.chance(0.5)),
        lambda: L.Inception(r.one(2, None), 1, 2, 3, 1, 2, 2),
        lambda: L.InceptionBN(r.one(2, None), r.one(0, 2), 2, 3, 1, 2, r.one('max', 'avg'), r.one(None, 2),
                              r.one(1, 2)))()
    _look(r, see, link, x)


def embed_id(r, see):
    n, m = r.int(2, 5), r.int(1, 4)
    ignore = r.one(None, None, -1, 0)
    link = L.EmbedID(n, m, r.one(None, r.array((n, m)), 0.4), ignore)
    ids = r.array(r.shape(0, 3), r.one('i', 'i', 'l', 'b', 'f'), -1 if r.chance(0.3) else 0, n - 1)
    if r.chance(0.3):
        chainer.set_debug(True)
    try:
        _look(r, see, link, ids)
    finally:
        chainer.set_debug(False)


def recurrent(r, see):
    n, m, batch = r.int(1, 3), r.int(1, 3), r.int(1, 3)
    kind = r.one('LSTM', 'StatefulGRU', 'StatefulMGU', 'StatefulPeepholeLSTM', 'StatefulZoneoutLSTM', 'GRU')
    known = n if kind != 'LSTM' else r.one(n, None)
    link = getattr(L, kind)(known, m)
    see(hasattr(link, 'reset_state'))
    for _ in range(r.int(1, 3)):
        rows = r.one(batch, batch, max(batch - 1, 1), batch + 1)
        _look(r, see, link, r.array((rows, n)))
        if r.chance(0.2):
            link.reset_state()
    see(getattr(link, 'h', None), getattr(link, 'c', None))


def stateless(r, see):
    n, m, batch = r.int(1, 3), r.int(1, 3), r.int(1, 3)
    x, h, c = r.array((batch, n)), r.array((batch, m)), r.array((batch, m))
    kind = r.one('StatelessLSTM', 'StatelessGRU', 'StatelessMGU', 'ChildSumTreeLSTM', 'NaryTreeLSTM')
    if kind == 'StatelessLSTM':
        _look(r, see, L.StatelessLSTM(r.one(n, None), m), c, h, x)
    elif kind == 'StatelessGRU':
        _look(r, see, L.StatelessGRU(n, m), h, x)
    elif kind == 'StatelessMGU':
        _look(r, see, L.StatelessMGU(n, m), h, x)
    else:
        k = r.int(0, 3)
        link = L.ChildSumTreeLSTM(n, m) if kind == 'ChildSumTreeLSTM' else L.NaryTreeLSTM(n, m, r.one(k, k, 2))
        states = [r.array((batch, m)) for _ in range(2 * k)]
        _look(r, see, link, *(states + [x]))


def n_step(r, see):
    kind = r.one('LSTM', 'GRU', 'RNNTanh', 'RNNReLU')
    both = r.chance(0.5)
    layers, n, m = r.int(1, 2), r.int(1, 3), r.int(1, 3)
    link = getattr(L, 'NStep%s%s' % ('Bi' if both else '', kind))(layers, n, m, 0.)
    see(link.rnn if hasattr(link, 'rnn') else None)
    lengths = [r.int(1, 4) for _ in range(r.int(1, 3))]
    xs = [r.array((k, n)) for k in lengths]
    states = (None,) * (2 if kind == 'LSTM' else 1)
    if r.chance(0.5):
        states = tuple(r.array((layers * (2 if both else 1), len(xs), m)) for _ in states)
    ys = link(*(states + (xs,)))
    see(list(ys))
    sum([F.sum(y * y) for y in list(ys[:-1]) + list(ys[-1])]).backward()
    see(*[p.grad for _, p in sorted(link.namedparams())])


def normalization(r, see):
    dtype = r.dtype()
    size = r.int(1, 4)
    shape = (r.int(1, 4), size) + r.shape(0, 2)
    x = r.array(shape, dtype)
    options = dict(decay=r.one(0.9, 0.5), eps=r.one(2e-5, 1e-3), dtype=numpy.dtype(dtype))
    if r.chance(0.3):
        options['use_gamma'] = r.chance(0.5)
        options['use_beta'] = r.chance(0.5)
    kind = r.one('BatchNormalization', 'BatchNormalization', 'BatchRenormalization', 'DecorrelatedBatchNormalization')
    if kind == 'DecorrelatedBatchNormalization' and not hasattr(L, kind):
        return see('none')
    if kind == 'DecorrelatedBatchNormalization':
        link = L.DecorrelatedBatchNormalization(size, 1, decay=0.9, eps=1e-3, dtype=numpy.dtype(dtype))
    elif kind == 'BatchNormalization' and r.chance(0.3):
        axis = r.one(0, (0,), tuple(k for k in range(len(shape)) if k != 1), (0, 1))
        link = L.BatchNormalization(r.one(None, size), axis=axis, **options)
    else:
        link = getattr(L, kind)(size, **options)
    for _ in range(r.int(1, 2)):
        _look(r, see, link, x)
    see(link.avg_mean, getattr(link, 'avg_var', None), getattr(link, 'N', None))
    with chainer.using_config('train', False):
        _look(r, see, link, x)


def other_normalizations(r, see):
    x = r.array((r.int(1, 3), 4) + r.shape(0, 2))
    if r.chance(0.5):
        _look(r, see, L.GroupNormalization(r.one(1, 2, 4, 3), r.one(4, None)), x)
    else:
        _look(r, see, L.LayerNormalization(r.one(None, x[0].size), r.one(1e-6, 1e-3)), x.reshape(len(x), -1))


def with_parameters(r, see):
    x = r.array((r.int(1, 3), r.int(1, 3)) + r.shape(0, 2))
    n = x.shape[1]
    link = r.one(
        lambda: L.Bias(r.one(1, 0), x.shape[1:2]), lambda: L.Scale(1, x.shape[1:], r.chance(0.5)),
        lambda: L.Scale(1, None, r.chance(0.3), (n,)),
        lambda: L.PReLU(r.one((), x.shape[1:], (n,)), r.one(0.25, 0.1)), lambda: L.Swish(r.one(x.shape[1:], None, (n,))),
        lambda: L.Maxout(r.one(x[0].size, None), 2, r.int(1, 3), r.one(None, 0.3)),
        lambda: L.Highway(x[0].size, r.chance(0.3)), lambda: L.SimplifiedDropconnect(x[0].size, 2, 0.))()
    if isinstance(link, (L.Scale,)) and link.__dict__.get('W') is None:
        return _look(r, see, link, x, r.array((n,)))
    if isinstance(link, L.Highway):
        x = x.reshape(len(x), -1)
    if isinstance(link, L.SimplifiedDropconnect):
        return _look(r, see, link, x, mask=numpy.ones((len(x), 2, x[0].size), '?'))
    _look(r, see, link, x)


def bilinear(r, see):
    a, b, o, n = r.int(1, 3), r.int(1, 3), r.int(1, 3), r.int(1, 3)
    link = L.Bilinear(a, b, o, r.chance(0.4), r.one(None, r.array((a, b, o))),
                      r.one(None, (r.array((a, o)), r.array((b, o)), r.array(o))))
    _look(r, see, link, r.array((n, a)), r.array((n, b)))


def losses(r, see):
    n, d, words = r.int(1, 4), r.int(1, 3), r.int(2, 5)
    x, t = r.array((n, d)), r.array(n, 'i', -1 if r.chance(0.3) else 0, words - 1)
    counts = [r.int(1, 4) for _ in range(words)]
    which = r.int(0, 3)
    if which == 0:
        link = L.NegativeSampling(d, counts, r.int(1, 3), r.one(0.75, 1.0))
        link.W.array[...] = r.array((words, d))
        _look(r, see, link, x, t, reduce=r.one('sum', 'no', 'what') if r.chance(0.5) else 'sum')
    elif which == 1:
        link = L.BlackOut(d, counts, r.int(1, 3))
        link.W.array[...] = r.array((words, d))
        _look(r, see, link, x, abs(t))
    elif which == 2:
        tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({k: c for k, c in enumerate(counts)})
        see(tree)
        link = L.BinaryHierarchicalSoftmax(d, tree)
        _look(r, see, link, x, abs(t))
    else:
        link = L.CRF1d(words, r.one(None, r.array((words, words))))
        steps = r.int(1, 3)
        xs = [r.array((n, words)) for _ in range(steps)]
        ts = [abs(r.array(n, 'i', 0, words - 1)) for _ in range(steps)]
        see(link(xs, ts, r.one('mean', 'no')), *link.argmax(xs))


def classifier(r, see):
    n, classes = r.int(1, 4), r.int(1, 3)
    options = r.one({}, {'accfun': None}, {'label_key': 0}, {'label_key': 't'}, {'label_key': 1.5})
    model = L.Classifier(L.Linear(3, classes), **options)
    x, t = r.array((n, 3)), r.array(n, 'i', -1, classes - 1)
    if r.chance(0.3):
        model.compute_accuracy = False
    see(model(t, x) if options.get('label_key') == 0 else model(x, t=t) if 't' in options.values() else model(x, t))
    see(model.y, model.loss, model.accuracy)


def chains(r, see):
    class Model(chainer.Chain):
        def __init__(self):
            super(Model, self).__init__()
            with self.init_scope():
                self.a = L.Linear(3, 2)
                self.b = chainer.ChainList(L.Linear(2, 2), L.Linear(None, 2))
                self.p = chainer.Parameter(0.5, (2,))
            self.add_persistent('kept', r.array(2))

        def forward(self, x):
            return self.b[1](self.b[0](self.a(x))) * F.broadcast_to(self.p, (len(x), 2))
    m = Model()
    see([n for n, _ in m.namedlinks()], [n for n, _ in m.namedlinks(True)], [n for n, _ in m.namedparams()],
        [n for n, _ in m.namedparams(False)], [c.name for c in m.children()], m.count_params())
    _look(r, see, m, r.array((2, 3)))
    other = Model()
    see.attempt(other.copyparams, m, *([r.chance(0.5)] if r.chance(0.5) else []))
    see(*[p.array for _, p in sorted(other.namedparams())])
    see(other.kept)
    other.cleargrads()
    see.attempt(other.addgrads, m)
    see(*[p.grad for _, p in sorted(other.namedparams())])
    repeated = m.a.repeat(r.int(0, 2), r.one('init', 'copy', 'share'))
    see(len(repeated), sorted(n for n, _ in repeated.namedparams()))
    m.disable_update()
    see(m.update_enabled)
    s = chainer.Sequential(L.Linear(3, 2), F.relu, L.Linear(2, 1))
    see(len(s), s.count_by_layer_type(r.one('Linear', 'relu', 'Bias')), s(r.array((2, 3))))
    see.attempt(s.insert, r.int(-4, 4), r.one(F.tanh, L.Linear(2, 2), 'no'))
    see.attempt(s.remove_by_layer_type, r.one('Linear', 'relu'))
    see(len(s), len(s.flatten()))
    see.attempt(s.pop, r.int(-3, 3))
    see.attempt(s.__getitem__, r.one(0, 1, -1, 5, slice(0, 2)))
