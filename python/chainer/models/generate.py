# SPDX-License-Identifier: MIT
import numpy

from chainer import _core
from chainer import configuration
from chainer import functions as F
from chainer.backends import cuda


def generate(model, prompts, max_new_tokens=50, temperature=0, top_k=0, top_p=1, end=None, stream=None):
    """Returns the continuations of prompts, lists of tokens of different lengths, without the prompts.

    Args:
        model (Gpt2): The language model; it computes in test mode, without a graph.
        prompts: A list of lists of tokens.
        max_new_tokens (int): The largest number of tokens of a continuation.
        temperature (float): 0 takes the most probable token; 1 draws from the model's probabilities by numpy.random.
        top_k (int): Draws from the k most probable tokens; 0 for all.
        top_p (float): Draws from the fewest tokens whose probabilities sum up to p.
        end (int): A token that ends a sequence.
        stream: A function that is called with the next token of each sequence, -1 for ended ones. False ends the
            generation.
    """
    limit = model.config['n_positions']
    prompts = [[int(i) for i in p] for p in prompts]
    if max_new_tokens < 0 or not temperature >= 0 or top_k < 0 or not 0 < top_p <= 1:
        raise ValueError('generate: max_new_tokens, temperature and top_k must not be negative, top_p must be in (0, 1]; '
                         'got {}, {}, {}, {}'.format(max_new_tokens, temperature, top_k, top_p))
    for p in prompts:
        if not 0 < len(p) <= limit:
            raise ValueError('generate: expected prompts of 1 to {} tokens, got {}'.format(limit, len(p)))
    out = [[] for _ in prompts]
    if not prompts:
        return out
    # Shorter prompts are padded at their beginning, so that the next position is the same for all.
    length = max([len(p) for p in prompts])
    ids, places = numpy.zeros((2, len(prompts), length), numpy.int32)
    mask = numpy.zeros((len(prompts), length), bool)
    for i, p in enumerate(prompts):
        ids[i, length - len(p):], places[i, length - len(p):], mask[i, length - len(p):] = p, range(len(p)), True
    padded = not mask.all()
    ended = [False] * len(prompts)
    caches = []
    move = (lambda a: a) if model.xp is numpy else cuda.to_gpu
    with configuration.using_config('train', False), configuration.no_backprop_mode():
        for _ in range(max_new_tokens):
            h = model.hidden(move(ids), move(mask) if padded else None, move(places), caches)
            scores = cuda.to_cpu(model.words.scores(h[:, -1]).array).astype(numpy.float32)
            numbers = numpy.random.random_sample(len(prompts)) if temperature > 0 else numpy.zeros(len(prompts))
            tokens = [-1] * len(prompts)
            ids, places = numpy.zeros((2, len(prompts), 1), numpy.int32)
            for i, sequence in enumerate(out):
                if ended[i]:
                    continue
                tokens[i] = ids[i] = _core.drawn_token(scores[i].tolist(), temperature, top_k, top_p, numbers[i])
                sequence.append(tokens[i])
                reached = len(prompts[i]) + len(sequence)
                ended[i] = tokens[i] == end or reached >= limit
                places[i] = 0 if ended[i] else reached - 1
            length += 1
            if (stream is not None and stream(tokens) is False) or all(ended) or length > limit:
                break
            mask = numpy.concatenate([mask, numpy.ones((len(prompts), 1), bool)], axis=1)
    return out
