# SPDX-License-Identifier: MIT
import numpy

from chainer import functions as F
from chainer import link
from chainer import links as L
from chainer import variable
from chainer.backends import cuda
from chainer.models import _files

_DEFAULTS = {
    'vocab_size': 30522, 'hidden_size': 768, 'num_hidden_layers': 12, 'num_attention_heads': 12,
    'intermediate_size': 3072, 'max_position_embeddings': 512, 'type_vocab_size': 2, 'layer_norm_eps': 1e-12,
    'hidden_dropout_prob': 0.1, 'hidden_act': 'gelu'}


class Bert(link.Chain):
    """BERT and its descendants, as MiniLM (Devlin et al., arXiv:1810.04805): embeddings of tokens, positions and texts, a
    TransformerEncoder, and a pooler.

    Args:
        checkpoint (bool): See TransformerEncoder.
        config: The members of a config.json; defaults are those of bert-base-uncased.
    """

    def __init__(self, checkpoint=False, **config):
        super(Bert, self).__init__()
        c = self.config = _files.configuration('bert', _DEFAULTS, config, {
            'is_decoder': False, 'add_cross_attention': False, 'position_embedding_type': 'absolute'})
        size = c['hidden_size']
        with self.init_scope():
            self.words = L.EmbedID(c['vocab_size'], size)
            self.positions = L.EmbedID(c['max_position_embeddings'], size)
            self.types = L.EmbedID(c['type_vocab_size'], size)
            self.norm = L.LayerNormalization(size, c['layer_norm_eps'])
            self.encoder = L.TransformerEncoder(
                c['num_hidden_layers'], size, c['num_attention_heads'], checkpoint=checkpoint,
                feedforward=c['intermediate_size'], dropout=c['hidden_dropout_prob'],
                activation=_files.activation(c['hidden_act']), eps=c['layer_norm_eps'])
            self.pooler = L.Linear(size, size)

    @classmethod
    def load(cls, folder, checkpoint=False):
        """Reads a folder with config.json and model.safetensors, as the package `transformers` writes them. A pooler
        that is not in the file keeps its initial weights."""
        model = cls(checkpoint, **_files.read_configuration(folder))
        w = _files.Weights(folder, 'bert.', 'embeddings.word_embeddings.weight')
        for embed, name in ((model.words, 'word'), (model.positions, 'position'), (model.types, 'token_type')):
            w.set(embed.W, w.get('embeddings.{}_embeddings.weight'.format(name)), name)
        w.normalization(model.norm, 'embeddings.LayerNorm')
        for i, layer in enumerate(model.encoder.layers):
            name = 'encoder.layer.{}.'.format(i)
            for part in ('query', 'key', 'value'):
                w.linear(layer.attention[part], name + 'attention.self.' + part)
            w.linear(layer.attention.output, name + 'attention.output.dense')
            w.normalization(layer.norm1, name + 'attention.output.LayerNorm')
            w.linear(layer.linear1, name + 'intermediate.dense')
            w.linear(layer.linear2, name + 'output.dense')
            w.normalization(layer.norm2, name + 'output.LayerNorm')
        if 'pooler.dense.weight' in w:
            w.linear(model.pooler, 'pooler.dense')
        w.check()
        return model

    def forward(self, ids, type_ids=None, mask=None):
        """Returns the last hidden states (N, L, hidden_size) of ids (N, L). `mask` (N, L) is False for padding."""
        n, length = ids.shape
        if length > self.config['max_position_embeddings']:
            raise ValueError('Bert: the model has {} positions, the ids {}'.format(
                self.config['max_position_embeddings'], length))
        xp = self.xp
        if type_ids is None:
            type_ids = xp.zeros((n, length), numpy.int32)
        h = self.words(ids) + self.types(type_ids)
        h = h + F.broadcast_to(self.positions(xp.arange(length, dtype=numpy.int32)), h.shape)
        h = F.reshape(self.norm(F.reshape(h, (-1, h.shape[-1]))), h.shape)
        h = F.dropout(h, self.config['hidden_dropout_prob'])
        return self.encoder(h, None if mask is None else mask.reshape(n, 1, 1, length))

    def pooled(self, h):
        """Returns tanh(pooler(h of the first token)) for the states h of forward()."""
        return F.tanh(self.pooler(h[:, 0]))


def mean_of_tokens(h, mask):
    """Returns the mean of the states h (N, L, D) over the tokens of a mask (N, L): embeddings of sentences (N, D)
    (Reimers and Gurevych, arXiv:1908.10084). A row without tokens gives 0."""
    h = variable.as_variable(h)
    xp = cuda.get_array_module(mask)
    m = mask.astype(h.dtype)
    weights = m / xp.maximum(m.sum(axis=1, keepdims=True), xp.asarray(1, h.dtype))
    return F.sum(h * F.broadcast_to(variable.as_variable(weights.reshape(mask.shape + (1,))), h.shape), axis=1)
