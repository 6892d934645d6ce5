#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Encodes a text by the package `tokenizers`, in turns with bench_data, and prints the ratios.

usage: tokens.py --ours build/release/benchmarks/bench_data [--text FILE] [--turns 3]      (Python with tokenizers)

Byte-level BPE (GPT-2's kind) and WordPiece (BERT's kind) with 8000 tokens are trained on the text, by default random
words with the frequencies of a language. Both programs encode its lines one by one on one thread, and must give the
same tokens. A ratio under 1 means that the project is faster.
"""
import argparse, os, random, statistics, subprocess, tempfile, time

os.environ['TOKENIZERS_PARALLELISM'] = 'false'
import tokenizers

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--text')
p.add_argument('--turns', type=int, default=3)
a = p.parse_args()


def drawn_text(path):
    r = random.Random(0)
    words = [''.join(r.choice('etaoinshrdlucmfwypvbgkqjxz') for _ in range(r.randint(2, 11))) for _ in range(20000)]
    weights = [1 / (i + 2) for i in range(len(words))]
    with open(path, 'w') as f:
        for _ in range(20000):
            line = ' '.join(r.choices(words, weights, k=r.randint(5, 40)))
            f.write(line[0].upper() + line[1:] + r.choice(['.', '!', ', 1998.', ' (é)?']) + '\n')


def trained(kind, path):
    if kind == 'BPE':
        t = tokenizers.ByteLevelBPETokenizer()
    else:
        t = tokenizers.BertWordPieceTokenizer()
    t.train([path], vocab_size=8000, show_progress=False)
    return t


with tempfile.TemporaryDirectory() as folder:
    text = a.text or folder + '/text'
    if not a.text:
        drawn_text(text)
    lines = open(text, encoding='utf-8').read().split('\n')[:-1]
    for kind in ('BPE', 'WordPiece'):
        file = f'{folder}/{kind}.json'
        trained(kind, text).save(file)
        theirs = tokenizers.Tokenizer.from_file(file)
        pairs = []
        for _ in range(a.turns):
            out = subprocess.run([a.ours, 'tokens', file, text], capture_output=True, text=True, check=True).stdout
            ms, count, total = (float(v) for v in out.split())
            least = float('inf')
            for _ in range(3):
                begin = time.perf_counter()
                ids = [theirs.encode(line, add_special_tokens=False).ids for line in lines]
                least = min(least, (time.perf_counter() - begin) * 1e3)
            assert sum(map(len, ids)) == count and sum(map(sum, ids)) == total, (kind, count, total)
            pairs.append((ms, least))
        mine, other = (statistics.median(v) for v in zip(*pairs))
        print(f'{kind}: {count:.0f} tokens, ours {mine:.0f} ms ({count / mine / 1e3:.2f} million/s), '
              f'tokenizers {other:.0f} ms, ratio {statistics.median(x / y for x, y in pairs):.2f}')
