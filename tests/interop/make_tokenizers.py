# SPDX-License-Identifier: MIT
"""Writes tests/data/tokenizers with the packages `tokenizers` and `sentencepiece`: tokenizers and their results for
texts.

make_tokenizers.py FOLDER; needs `pip install tokenizers sentencepiece protobuf`.
"""
import io
import json
import pathlib
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

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


def trained_unigram(**options):
    """A model of SentencePiece, with a small table of characters that are replaced."""
    rules = {'\ufb01': 'fi', '\u2026': '...', '\u3000': ' ', '\u00a0': ' ', 'e\u0301': '\u00e9', '\u2460': '1',
             '\u200b': '', '\uff41': 'a', '\uff21': 'A', '\u00ab': '"', '\u00bb': '"', '\t': ' ', '\n': ' '}
    model = io.BytesIO()
    with tempfile.NamedTemporaryFile('w', suffix='.tsv') as table:
        for key, value in rules.items():
            table.write(' '.join('%X' % ord(c) for c in key) + '\t' + ' '.join('%X' % ord(c) for c in value) + '\n')
        table.flush()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS), model_writer=model, model_type='unigram', normalization_rule_tsv=table.name,
            minloglevel=2, **options)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    return proto


def unigram():
    """As the package `transformers` converts the models of T5."""
    proto = trained_unigram(vocab_size=75, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    t = Tokenizer(models.Unigram([(p.piece, p.score) for p in proto.pieces], 2))
    t.normalizer = normalizers.Sequence([
        normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap),
        normalizers.Replace(Regex(' {2,}'), ' ')])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    t.post_processor = processors.TemplateProcessing('$A </s>', '$A </s> $B </s>', [('</s>', 1)])
    t.add_special_tokens(['<pad>', '</s>', '<unk>', '[MASK]'])
    return t


def unigram_bytes():
    """Unknown characters as bytes; words at white space; other normalizers."""
    proto = trained_unigram(vocab_size=325, byte_fallback=True)
    t = Tokenizer(models.Unigram([(p.piece, p.score) for p in proto.pieces], 0, True))
    t.normalizer = normalizers.Sequence([
        normalizers.Strip(left=True, right=True), normalizers.Replace('(', '<'), normalizers.NFKD(),
        normalizers.StripAccents(), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    t.decoder = decoders.Metaspace()
    return t


def main(folder):
    cases = {'corpus': CORPUS}
    for name, t in (('byte_level', byte_level()), ('word_piece', word_piece()), ('unigram', unigram()),
                    ('unigram_bytes', unigram_bytes())):
        t.save(str(folder / (name + '.json')))
        cases[name] = [{'text': x, 'ids': t.encode(x).ids, 'plain': t.encode(x, add_special_tokens=False).ids,
                        'decoded': t.decode(t.encode(x).ids)} for x in TEXTS]
        cases[name + '_pairs'] = [{'first': a, 'second': b, 'ids': t.encode(a, b).ids,
                                   'type_ids': t.encode(a, b).type_ids} for a, b in PAIRS]
        if not name.startswith('unigram'):
            (folder / name).mkdir(exist_ok=True)
            t.model.save(str(folder / name))
    (folder / 'cases.json').write_text(json.dumps(cases, ensure_ascii=False, indent=1) + '\n')


main(pathlib.Path(sys.argv[1]))
