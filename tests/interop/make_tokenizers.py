# SPDX-License-Identifier: MIT
"""Writes tests/data/tokenizers with the package `tokenizers`: two tokenizers and their results for texts.

make_tokenizers.py FOLDER; needs `pip install tokenizers`.
"""
import json
import pathlib
import sys

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    'A tokenizer cuts a text into tokens, and each token has a number.',
    "It's said that words which occur often don't need to be cut; rare words are.",
    'The numbers 12 and 1234 are cut as well, as are signs: (a + b) = c!',
    'Caf\u00e9s and na\u00efve r\u00e9sum\u00e9s have accents, \u4e2d\u6587 has none.',
] * 3
TEXTS = CORPUS[:4] + [
    '', ' ', '   a  b\n\nc\t ', "they'll we've I'M 'tis d'accord", 'x1y2 3z', '\u4e2d\u6587\u5b57 and \u65e5\u672c',
    'r\u00e9sum\u00e9 re\u0301sume\u0301 \u0130stanbul STRASSE stra\u00dfe', 'emoji \U0001f600\U0001f469\u200d\U0001f467!',
    'end<|endoftext|>begin', '[CLS] literal [MASK] and [mask]', 'zero\u200bwidth \u00a0space\u3000wide', 'a' * 120,
    'tokentokentoken', '\u00bfqu\u00e9? \u00abno\u00bb \u2026', 'tab\tcontrol\x01\x7fend', '\ufffd', 'ab-cd_ef.gh',
]
PAIRS = [('What is a token?', 'A token has a number.'), ('', 'empty first'), ('a', '')]


def byte_level():
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=340, special_tokens=['<|endoftext|>'], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return t


def word_piece():
    t = Tokenizer(models.WordPiece(unk_token='[UNK]'))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=150, special_tokens=['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'], show_progress=False))
    t.post_processor = processors.BertProcessing(('[SEP]', t.token_to_id('[SEP]')), ('[CLS]', t.token_to_id('[CLS]')))
    return t


def main(folder):
    cases = {'corpus': CORPUS}
    for name, t in (('byte_level', byte_level()), ('word_piece', word_piece())):
        t.save(str(folder / (name + '.json')))
        cases[name] = [{'text': x, 'ids': t.encode(x).ids, 'plain': t.encode(x, add_special_tokens=False).ids,
                        'decoded': t.decode(t.encode(x).ids)} for x in TEXTS]
        cases[name + '_pairs'] = [{'first': a, 'second': b, 'ids': t.encode(a, b).ids,
                                   'type_ids': t.encode(a, b).type_ids} for a, b in PAIRS]
        (folder / name).mkdir(exist_ok=True)
        t.model.save(str(folder / name))
    (folder / 'cases.json').write_text(json.dumps(cases, ensure_ascii=False, indent=1) + '\n')


main(pathlib.Path(sys.argv[1]))
