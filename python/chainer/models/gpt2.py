# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer import initializers
from chainer import link
from chainer import links as L
from chainer.models import _files

_DEFAULTS = {
    'vocab_size': 50257, 'n_positions': 1024, 'n_embd': 768, 'n_layer': 12, 'n_head': 12, 'n_inner': 3072,
    'layer_norm_epsilon': 1e-5, 'resid_pdrop': 0.1, 'activation_function': 'gelu_new'}


class Gpt2(link.Chain):
    """GPT-2 (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019): a causal TransformerEncoder
    over embeddings of tokens and positions, whose projection to the scores of the next token has the weights of the
    embedding.

    Args:
        checkpoint (bool): See TransformerEncoder.
        config: The members of a config.json; defaults are those of gpt2 (124M).
    """

    def __init__(self, checkpoint=False, **config):
        super(Gpt2, self).__init__()
        if config.get('n_inner') is None and 'n_embd' in config:
            config['n_inner'] = 4 * config['n_embd']
        c = self.config = _files.configuration('gpt2', _DEFAULTS, config, {
            'scale_attn_by_inverse_layer_idx': False, 'reorder_and_upcast_attn': False, 'add_cross_attention': False,
            'scale_attn_weights': True, 'tie_word_embeddings': True})
        with self.init_scope():
            self.words = L.EmbedID(c['vocab_size'], c['n_embd'], initializers.Normal(0.02))
            self.positions = L.EmbedID(c['n_positions'], c['n_embd'], initializers.Normal(0.02))
            self.encoder = L.TransformerEncoder(
                c['n_layer'], c['n_embd'], c['n_head'], checkpoint=checkpoint, feedforward=c['n_inner'],
                dropout=c['resid_pdrop'], activation=_files.activation(c['activation_function']), norm_first=True,
                eps=c['layer_norm_epsilon'], causal=True)

    @classmethod
    def load(cls, folder, checkpoint=False):
        """Reads a folder with config.json and model.safetensors, as the package `transformers` writes them."""
        model = cls(checkpoint, **_files.read_configuration(folder))
        w = _files.Weights(folder, 'transformer.', 'wte.weight')
        w.set(model.words.W, w.get('wte.weight'), 'wte.weight')
        w.set(model.positions.W, w.get('wpe.weight'), 'wpe.weight')

        def products(links, name):  # in one matrix (in, products x out)
            for parameter, part in (('W', 'weight'), ('b', 'bias')):
                array = w.get('{}.{}'.format(name, part))
                if array is None:
                    continue
                for one, piece in zip(links, numpy.split(array, len(links), axis=-1)):
                    w.set(getattr(one, parameter), numpy.ascontiguousarray(piece.T), name)
        for i, layer in enumerate(model.encoder.layers):
            name = 'h.{}.'.format(i)
            w.normalization(layer.norm1, name + 'ln_1')
            products([layer.attention.query, layer.attention.key, layer.attention.value], name + 'attn.c_attn')
            products([layer.attention.output], name + 'attn.c_proj')
            w.normalization(layer.norm2, name + 'ln_2')
            products([layer.linear1], name + 'mlp.c_fc')
            products([layer.linear2], name + 'mlp.c_proj')
        w.normalization(model.encoder.norm, 'ln_f')
        w.check()
        return model

    def hidden(self, ids, mask=None, positions=None, caches=None):
        """Returns the states (N, L, n_embd) before the projection, for F.linear_cross_entropy(h, model.words.W, t).
        `mask` (N, S) is False for padding, also for the positions of the caches; `positions` (N, L) are by default
        those after the caches."""
        n, length = ids.shape
        before = caches[0].length if caches else 0
        if before + length > self.config['n_positions']:
            raise ValueError('Gpt2: the model has {} positions, the text {}'.format(
                self.config['n_positions'], before + length))
        if positions is None:
            positions = self.xp.arange(before, before + length, dtype=numpy.int32)
        h = self.words(ids)
        h = F.dropout(h + F.broadcast_to(self.positions(positions), h.shape), self.config['resid_pdrop'])
        return self.encoder(h, None if mask is None else mask.reshape(n, 1, 1, before + length), caches)

    def forward(self, ids, mask=None, positions=None, caches=None):
        """Returns the scores (N, L, vocab_size) of the next tokens of ids (N, L)."""
        return self.words.scores(self.hidden(ids, mask, positions, caches))
