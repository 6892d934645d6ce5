# SPDX-License-Identifier: MIT
"""The manual's sequence-to-sequence network, without its dropout (whose masks are the library's), on made-up sentences."""
import numpy

import chainer
import chainer.functions as F
import chainer.links as L

UNK = 0
EOS = 1
numpy.random.seed(0)


def sequence_embed(embed, xs):
    x_len = [len(x) for x in xs]
    x_section = numpy.cumsum(x_len[:-1])
    ex = embed(F.concat(xs, axis=0))
    exs = F.split_axis(ex, x_section, 0)
    return exs


class Seq2seq(chainer.Chain):

    def __init__(self, n_layers, n_source_vocab, n_target_vocab, n_units):
        super(Seq2seq, self).__init__()
        with self.init_scope():
            self.embed_x = L.EmbedID(n_source_vocab, n_units)
            self.embed_y = L.EmbedID(n_target_vocab, n_units)
            self.encoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.decoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.W = L.Linear(n_units, n_target_vocab)

        self.n_layers = n_layers
        self.n_units = n_units

    def forward(self, xs, ys):
        xs = [x[:-1] for x in xs]

        eos = self.xp.array([EOS], numpy.int32)
        ys_in = [F.concat([eos, y], axis=0) for y in ys]
        ys_out = [F.concat([y, eos], axis=0) for y in ys]

        # Both xs and ys_in are lists of arrays.
        exs = sequence_embed(self.embed_x, xs)
        eys = sequence_embed(self.embed_y, ys_in)

        batch = len(xs)
        # None represents a zero vector in an encoder.
        hx, cx, _ = self.encoder(None, None, exs)
        _, _, os = self.decoder(hx, cx, eys)

        # It is faster to concatenate data before calculating loss
        # because only one matrix multiplication is called.
        concat_os = F.concat(os, axis=0)
        concat_ys_out = F.concat(ys_out, axis=0)
        loss = F.sum(F.softmax_cross_entropy(
            self.W(concat_os), concat_ys_out, reduce='no')) / batch

        chainer.report({'loss': loss.data}, self)
        n_words = concat_ys_out.shape[0]
        perp = self.xp.exp(loss.data * batch / n_words)
        chainer.report({'perp': perp}, self)
        return loss


rng = numpy.random.RandomState(1)
pairs = [(rng.randint(2, 30, n).astype('i'), rng.randint(2, 20, n + 1).astype('i')) for n in rng.randint(2, 9, 64)]
model = Seq2seq(2, 30, 20, 16)
optimizer = chainer.optimizers.Adam(0.01)
optimizer.setup(model)
losses = []
with chainer.using_config('train', False):
    for i in range(100):
        batch = [pairs[k % 64] for k in range(8 * i, 8 * i + 8)]
        xs, ys = zip(*batch)
        loss = model(xs, ys)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.array))
print(' '.join(['%.6f' % v for v in losses]))
