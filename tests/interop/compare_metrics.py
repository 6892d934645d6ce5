#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares metrics of metrics_write with scikit-learn's, scikit-image's, sacrebleu's and jiwer's.

usage: PYTHON_WITH_THEM compare_metrics.py FILE
"""
import json, sys, warnings

import jiwer
import numpy as np
import sacrebleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from skimage.metrics import peak_signal_noise_ratio, structural_similarity
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.preprocessing import label_binarize

warnings.simplefilter('ignore')
cases = json.load(open(sys.argv[1]))
compared = 0


def same(name, ours, theirs, case, tolerance=1e-10):
    global compared
    ours, theirs = np.asarray(ours, float).ravel(), np.asarray(theirs, float).ravel()
    assert ours.shape == theirs.shape, f'{name} of case {case}: {ours} and {theirs}'
    assert np.allclose(ours, theirs, rtol=tolerance, atol=tolerance), f'{name} of case {case}: {ours} and {theirs}'
    compared += ours.size


for i, c in enumerate(cases['binary']):
    y, t = np.array(c['y']), np.array(c['t'])
    fpr, tpr, _ = metrics.roc_curve(t, y)
    same('fpr', c['fpr'], fpr, i)
    same('tpr', c['tpr'], tpr, i)
    same('all_thresholds', c['all_thresholds'], metrics.roc_curve(t, y, drop_intermediate=False)[2], i)
    same('area', c['area'], metrics.auc(fpr, tpr), i)
    same('roc_auc', c['roc_auc'], metrics.roc_auc_score(t, y), i)
    precision, recall, thresholds = metrics.precision_recall_curve(t, y)
    same('precision', c['precision'], precision, i)
    same('recall', c['recall'], recall, i)
    same('thresholds', c['thresholds'], thresholds, i)
    same('average_precision', c['average_precision'], metrics.average_precision_score(t, y), i)
    prob_true, prob_pred = calibration_curve(t, y, n_bins=10)
    same('prob_true', c['prob_true'], prob_true, i)
    same('prob_pred', c['prob_pred'], prob_pred, i)
    count = np.array(c['count'])
    same('calibration_error', c['calibration_error'], (count * abs(prob_true - prob_pred)).sum() / count.sum(), i)
for i, c in enumerate(cases['classes']):
    y, p, t = np.array(c['y']).reshape(c['shape']), np.array(c['p']).reshape(c['shape']), np.array(c['t'], int)
    labels = np.arange(y.shape[1])
    for ours, theirs in ('confusion', None), ('truth', 'true'), ('predicted', 'pred'), ('all', 'all'):
        matrix = metrics.confusion_matrix(t, y.argmax(1), labels=labels, normalize=theirs)
        same(ours, c[ours], matrix, i)
    same('top_k', c['top_k'], metrics.top_k_accuracy_score(t, y, k=c['k'], labels=labels), i)
    same('perplexity', c['perplexity'], np.exp(metrics.log_loss(t, p, labels=labels)), i)
    same('roc_auc', c['roc_auc'], metrics.roc_auc_score(t, p, multi_class='ovr', labels=labels), i)
    same('average_precision', c['average_precision'],
         metrics.average_precision_score(label_binarize(t, classes=labels), p), i)
for i, c in enumerate(cases['pictures']):
    x, y = np.array(c['x']).reshape(c['shape']), np.array(c['y']).reshape(c['shape'])
    options = {'data_range': c['range'], 'channel_axis': 0}
    same('psnr', c['psnr'], peak_signal_noise_ratio(y, x, data_range=c['range']), i)
    same('ssim', c['ssim'], structural_similarity(x, y, **options), i)
    same('ssim_9', c['ssim_9'], structural_similarity(x, y, win_size=9, **options), i)
    same('ssim_paper', c['ssim_paper'],
         structural_similarity(x, y, gaussian_weights=True, use_sample_covariance=False, **options), i)
tokenizer = Tokenizer13a()
for i, c in enumerate(cases['sentences']):
    h, streams = c['hypotheses'], [list(s) for s in zip(*c['references'])]
    for sentence, words in zip(h, c['tokens']):
        assert tokenizer(sentence).split() == words, f'{sentence}: {words}'
        compared += 1
    for smoothing in 'none', 'floor', 'add-k', 'exp':
        same(smoothing, c[smoothing], sacrebleu.corpus_bleu(h, streams, smooth_method=smoothing).score, i)
    same('blanks', c['blanks'], sacrebleu.corpus_bleu(h, streams, tokenize='none', lowercase=True).score, i)
    same('wer', c['wer'], jiwer.wer(streams[0], h), i)
    same('cer', c['cer'], jiwer.cer(streams[0], h), i)
print(f'{compared} values are those of scikit-learn, scikit-image, sacrebleu and jiwer')
