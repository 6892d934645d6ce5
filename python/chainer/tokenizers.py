# SPDX-License-Identifier: MIT
"""Tokenizers: texts as sequences of integers. The release has no such module."""
import collections
import os

from chainer import _core

Batch = collections.namedtuple('Batch', ('ids', 'type_ids', 'mask'))
Batch.__doc__ = """Sequences padded at their ends, as arrays (N, L): ids (int32), type_ids (int32: 1 for the second text of a
pair) and mask (bool: False for padding)."""


class Tokenizer(object):
    """A tokenizer: normalization, splitting into words, a model (byte-level BPE, WordPiece or Unigram), and special
    tokens. Made by one of the class methods. Several threads may use one at the same time."""

    def __init__(self, core):
        if not isinstance(core, _core.Tokenizer):
            raise TypeError('Tokenizer: use Tokenizer.load() or another class method')
        self._core = core

    @classmethod
    def load(cls, path):
        """Reads a file tokenizer.json, or a folder that contains one, or vocab.json and merges.txt (GPT-2), or
        vocab.txt (BERT, in lower case)."""
        return cls(_core.Tokenizer.load(os.fspath(path)))

    @classmethod
    def byte_level_bpe(cls, vocab_json, merges_txt):
        """GPT-2's byte-level BPE."""
        return cls(_core.Tokenizer.byte_level_bpe(os.fspath(vocab_json), os.fspath(merges_txt)))

    @classmethod
    def word_piece(cls, vocab_txt, lowercase=True):
        """BERT's WordPiece."""
        return cls(_core.Tokenizer.word_piece(os.fspath(vocab_txt), lowercase))

    @classmethod
    def train_byte_level_bpe(cls, corpus, vocabulary=30000, min_frequency=2, add_prefix_space=False, special_tokens=()):
        """Learns `vocabulary` tokens from a list of texts. Special tokens get the first ids."""
        return cls(_core.Tokenizer.train_byte_level_bpe(
            list(corpus), vocabulary, min_frequency, add_prefix_space, list(special_tokens)))

    def save(self, path):
        """Writes a file tokenizer.json, which the package `tokenizers` reads, too."""
        self._core.save(os.fspath(path))

    def encode(self, text, special_tokens=True):
        """Returns the ids of a text as a list."""
        return self._core.encode(text, special_tokens)

    def encode_pair(self, first, second, special_tokens=True):
        """Returns the ids of a pair of texts, as a question and its context."""
        return self._core.encode_pair(first, second, special_tokens)

    def encode_batch(self, texts, max_length=None, length=None, special_tokens=True):
        """Returns a Batch of texts, or of pairs of texts. Sequences longer than `max_length` are truncated; all have
        the length `length`, by default that of the longest."""
        texts = list(texts)
        pairs = bool(texts) and not isinstance(texts[0], str)
        encode = self._core.encode_pairs if pairs else self._core.encode_batch
        return Batch(*encode([tuple(t) for t in texts] if pairs else texts, max_length, length, special_tokens))

    def decode(self, ids, skip_special_tokens=True):
        """Returns the text of ids."""
        return self._core.decode([int(i) for i in ids], skip_special_tokens)

    def __len__(self):
        """Returns one more than the largest id."""
        return self._core.size()

    def id_of(self, token):
        """Returns the id of a token, or None."""
        return self._core.id_of(token)

    def token_of(self, id):
        """Returns the token as files spell it."""
        return self._core.token_of(id)

    @property
    def padding_id(self):
        """The id of padding: that of [PAD], <pad> or <|pad|>, else 0."""
        return self._core.padding_id()

    def __reduce__(self):
        raise TypeError('a Tokenizer is not pickled: save() and load() it')
