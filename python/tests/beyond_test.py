# SPDX-License-Identifier: MIT
"""Features that the release does not have: ONNX, prepared networks, safetensors, summaries, attention, tokenizers."""
import copy
import json
import pickle
import threading
import warnings

import numpy
import pytest

import chainer
from chainer import functions as F
from chainer import inference, links as L, models, onnx, serializers, tokenizers


def rand(*shape):
    return numpy.random.RandomState(len(shape)).rand(*shape).astype('f')


def has_onnx():
    try:
        onnx.export_model(L.Linear(1, 1), rand(1, 1))
    except RuntimeError as error:
        assert 'protobuf' in str(error)
        return False
    return True


needs_onnx = pytest.mark.skipif(not has_onnx(), reason='built without protobuf')
IDS = numpy.array([[1, 2, 3], [4, 5, 6]], 'i')
BERT = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
            max_position_embeddings=10)
GPT2 = dict(vocab_size=20, n_embd=8, n_layer=2, n_head=2, n_positions=10)
NETWORKS = {
    'linear': (lambda: L.Linear(3, 4), [rand(2, 3)]),
    'convolution': (lambda: L.Convolution2D(3, 4, 3, pad=1), [rand(2, 3, 8, 8)]),
    'deconvolution': (lambda: L.Deconvolution2D(3, 4, 3), [rand(2, 3, 8, 8)]),
    'batch normalization': (lambda: L.BatchNormalization(5), [rand(2, 5)]),
    'batch normalization without parameters': (
        lambda: L.BatchNormalization(5, use_gamma=False, use_beta=False), [rand(2, 5)]),
    'layer normalization': (lambda: L.LayerNormalization(5), [rand(2, 5)]),
    'rms normalization': (lambda: L.RMSNormalization(), [rand(2, 5)]),
    'decorrelated batch normalization': (lambda: L.DecorrelatedBatchNormalization(4, groups=2), [rand(2, 4, 3)]),
    'group normalization': (lambda: L.GroupNormalization(2, 4), [rand(2, 4, 3, 3)]),
    'embedding': (lambda: L.EmbedID(10, 4), [IDS]),
    'sequential': (lambda: chainer.Sequential(
        L.Convolution2D(3, 4, 3), F.relu, lambda x: F.max_pooling_2d(x, 2), L.Linear(None, 3)), [rand(2, 3, 8, 8)]),
    'attention': (lambda: L.MultiHeadAttention(8, 2, causal=True, rotary=True), [rand(2, 3, 8)]),
    'encoder': (lambda: L.TransformerEncoder(2, 8, 2, norm_first=True), [rand(2, 3, 8)]),
    'decoder': (lambda: L.TransformerDecoder(1, 8, 2, checkpoint=True), [rand(2, 3, 8), rand(2, 5, 8)]),
    'low rank': (lambda: L.LowRank(L.Linear(3, 4), 2, initial_up=0.5), [rand(2, 3)]),
    'bert': (lambda: models.Bert(**BERT), [IDS]),
    'gpt2': (lambda: models.Gpt2(**GPT2), [IDS]),
    'lstm': (lambda: L.LSTM(3, 4), [rand(2, 3)]),
}


def without_graph(net, *xs):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return net(*xs)


@needs_onnx
@pytest.mark.parametrize('name', sorted(NETWORKS))
def test_export_import_and_preparation(name):
    make, xs = NETWORKS[name]
    numpy.random.seed(0)
    net = make()
    if name != 'lstm':  # which has a state
        without_graph(net, *xs)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        file = onnx.export_model(net, xs)
        prepared = inference.prepare(net, xs)
    imported = onnx.Model(file)
    expected = without_graph(copy.deepcopy(net), *xs).array
    numpy.testing.assert_allclose(without_graph(imported, *xs).array, expected, atol=1e-5)
    for _ in range(3):
        numpy.testing.assert_allclose(prepared(*xs), expected, atol=1e-5)
    assert prepared.refused_replay() == '' and prepared.operator_count() > 0
    # Another batch.
    more = [numpy.concatenate([x, x, x]) for x in xs]
    numpy.testing.assert_allclose(prepared(*more), numpy.concatenate([expected] * 3), atol=1e-5)
    names = {p for p, _ in net.namedparams()}
    assert not names or names & {p for p, _ in imported.namedparams()}


@needs_onnx
@pytest.mark.parametrize('calibration', ['largest', 'percentile', 'least_squares'])
def test_a_network_of_integers(calibration, tmp_path):
    random = numpy.random.RandomState(0)
    net = chainer.Sequential(
        L.Convolution2D(3, 16, 3, pad=1), F.relu, lambda h: F.max_pooling_2d(h, 2), L.Linear(16 * 16, 5))
    batches = [random.randn(20, 3, 8, 8).astype('f') for _ in range(3)]
    quantized = inference.quantize(net, batches, calibration=calibration)
    x = random.randn(7, 3, 8, 8).astype('f')
    expected = without_graph(net, x).array
    assert numpy.abs(quantized(x) - expected).max() < 0.05 * numpy.abs(expected).max()
    assert not numpy.array_equal(quantized(x), expected)
    assert [layer.op for layer in quantized.layers if layer.quantized][0] == 'Conv'
    assert all(layer.error < 0.05 for layer in quantized.layers)
    assert 'Conv' in quantized.report()
    quantized.save(tmp_path / 'net.onnx')
    numpy.testing.assert_array_equal(inference.prepare(tmp_path / 'net.onnx')(x), quantized(x))
    name = quantized.layers[0].name
    left = inference.quantize(net, batches, leave=[name])
    assert [layer.quantized for layer in left.layers if layer.name == name] == [False]


@needs_onnx
def test_what_quantize_refuses():
    for batches, options, message in (
            ([], {}, 'at least one batch'), ([rand(2, 3)], {'calibration': 'none'}, "not 'none'"),
            ([rand(2, 3)], {'percentile': 0}, 'percentile'), ([rand(2, 3)], {'leave': ['x']}, "named 'x'"),
            ([rand(2, 3) * numpy.float32(numpy.inf)], {}, 'finite')):
        with pytest.raises(ValueError, match=message):
            inference.quantize(L.Linear(3, 4), batches, **options)


@needs_onnx
def test_weights_of_few_bits_are_exported():
    net = chainer.Sequential(L.Linear(16, 24), F.relu, L.Linear(24, 5))
    inference.quantize_weights(net, bits=4, group=8, least_size=0)
    x = rand(3, 16)
    numpy.testing.assert_allclose(inference.prepare(net, x)(x), without_graph(net, x).array, atol=1e-5)


def classifier():
    return chainer.Sequential(L.Linear(3, 8), L.BatchNormalization(8), F.relu, L.Linear(8, 2))


@needs_onnx
def test_an_imported_model_is_trained_saved_and_copied(tmp_path):
    numpy.random.seed(0)
    x, t = rand(6, 3), numpy.array([0, 1, 0, 1, 0, 1], 'i')
    net = classifier()
    onnx.export_model(net, x, tmp_path / 'net.onnx', input_names=['x'], output_names=['y'], metadata={'a': 'b'})
    model = onnx.Model(tmp_path / 'net.onnx')
    assert model.inputs == [('x', numpy.float32, (None, 3))] and model.outputs == [('y', numpy.float32, (None, 2))]
    assert model.metadata == {'a': 'b'} and model.producer == 'chainer' and model.opset == 13
    assert onnx.supported_operators()['Conv'] == 1
    optimizer = chainer.optimizers.SGD(0.1).setup(model)
    losses = []
    for _ in range(30):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.array))
    assert losses[-1] < 0.9 * losses[0]
    other = copy.deepcopy(model)
    numpy.testing.assert_array_equal(without_graph(other, x).array, without_graph(model, x).array)
    serializers.save_npz(tmp_path / 'model.npz', model)
    third = onnx.Model(tmp_path / 'net.onnx')
    serializers.load_npz(tmp_path / 'model.npz', third)
    numpy.testing.assert_array_equal(without_graph(third, x).array, without_graph(model, x).array)
    # Weights that change by an assignment, by another array and by NumPy are seen.
    seen = [without_graph(model, x).array.copy()]
    p = next(model.params())
    p.array[...] = 0
    seen.append(without_graph(model, x).array.copy())
    p.array = p.array + 1
    seen.append(without_graph(model, x).array.copy())
    p.array.fill(5)
    seen.append(without_graph(model, x).array.copy())
    for a, b in zip(seen, seen[1:]):
        assert numpy.abs(a - b).max() > 0
    numpy.testing.assert_array_equal(without_graph(other, x).array, seen[0])


@needs_onnx
def test_errors_of_models(tmp_path):
    x = rand(2, 3)
    net = classifier()
    model = onnx.Model(onnx.export_model(net, x))
    for call, error, message in (
            (lambda: onnx.Model(b'abc'), OSError, 'not an ONNX model'),
            (lambda: onnx.Model(tmp_path / 'absent'), OSError, 'absent'),
            (lambda: pickle.dumps(model), TypeError, 'not pickled'),
            (lambda: model.copy(), ValueError, "mode 'copy'"),
            (lambda: model(x, x), ValueError, '2 inputs|1 input'),
            (lambda: onnx.export_model(F.ndtri, x), ValueError, 'ndtri'),
            (lambda: onnx.export_model(lambda v: 3, x), TypeError, 'int'),
            (lambda: onnx.export_model(lambda v: v * float(v.array.sum()), x), ValueError, 'outside of functions'),
            (lambda: onnx.export_model(net, x, opset=5), ValueError, '13 to 28'),
            (lambda: inference.prepare(lambda v: v * 2 if float(v.array.sum()) > 0 else v, x), ValueError, 'outside')):
        with pytest.raises(error, match=message):
            call()
    with pytest.raises(KeyError, match='wanted'):
        onnx.export_model(lambda v: {}['wanted'], x)


@needs_onnx
def test_free_lengths_of_other_axes():
    net = L.Convolution2D(1, 2, 3)
    prepared = inference.prepare(net, rand(1, 1, 8, 8), dynamic_axes=[('height', 0, 2), ('width', 0, 3)])
    x = rand(3, 1, 12, 9)
    numpy.testing.assert_allclose(prepared(x), without_graph(net, x).array, atol=1e-6)


@needs_onnx
def test_threads_share_a_prepared_network():
    prepared = inference.prepare(classifier(), rand(6, 3))
    expected = prepared(rand(6, 3))
    out = [None] * 4

    def work(i):
        out[i] = [prepared(rand(6, 3)) for _ in range(100)]
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for results in out:
        for y in results:
            numpy.testing.assert_array_equal(y, expected)


def test_safetensors(tmp_path):
    net, other = classifier(), classifier()
    net(rand(6, 3))
    file = tmp_path / 'net.safetensors'
    serializers.save_safetensors(file, net, {'note': 'ü'})
    serializers.load_safetensors(file, other)
    numpy.testing.assert_array_equal(without_graph(other, rand(6, 3)).array, without_graph(net, rand(6, 3)).array)
    opened = serializers.SafetensorsFile(str(file))
    assert opened.metadata == {'note': 'ü'} and '0/W' in opened and opened.shape('0/W') == (8, 3)
    assert sorted(opened.keys()) == sorted(['0/W', '0/b', '1/W', '1/b', '2/N', '2/avg_mean', '2/avg_var', '2/beta',
                                            '2/gamma'])
    with pytest.raises(ValueError, match='does not have: 0/W'):
        serializers.load_safetensors(file, chainer.Link())
    with pytest.raises(KeyError, match='is not in the file'):
        serializers.load_safetensors(file, L.Linear(3, 8))
    serializers.load_safetensors(file, L.Linear(3, 8), strict=False)
    with pytest.raises(ValueError, match='None'):
        serializers.save_safetensors(file, L.Linear(8))
    assert len(opened) == 9  # the old file is still there
    file.write_bytes(b'\xff' * 100)
    with pytest.raises(OSError, match='net.safetensors'):
        serializers.load_safetensors(file, other)


def test_weights_of_other_frameworks(tmp_path):
    from chainer import _core
    file = str(tmp_path / 'torch.safetensors')
    arrays = {'conv.weight': rand(4, 3, 3, 3), 'conv.bias': rand(4), 'bn.weight': rand(4), 'bn.bias': rand(4),
              'bn.running_mean': rand(4), 'bn.running_var': rand(4) + 1, 'bn.num_batches_tracked': numpy.array(3),
              'fc.weight': rand(5, 144), 'fc.bias': rand(5)}
    _core.write_safetensors(file, arrays, {})

    class Net(chainer.Chain):
        def __init__(self):
            super(Net, self).__init__()
            with self.init_scope():
                self.conv, self.bn, self.fc = L.Convolution2D(3, 4, 3), L.BatchNormalization(4), L.Linear(5)
    net = Net()
    loaded, missing, unused = serializers.load_safetensors(file, net, weight_names='pytorch')
    assert sorted(loaded) == sorted(set(arrays) - {'bn.num_batches_tracked'}) and missing == unused == []
    numpy.testing.assert_array_equal(net.fc.W.array, arrays['fc.weight'])
    numpy.testing.assert_array_equal(net.bn.avg_mean, arrays['bn.running_mean'])
    with pytest.raises(ValueError, match="missing: l/W"):
        serializers.load_safetensors(file, chainer.Chain(l=L.Linear(3, 2)), weight_names='pytorch')
    with pytest.raises(ValueError, match='own, pytorch or keras'):
        serializers.load_safetensors(file, net, weight_names='jax')
    arrays = {'rnn.%s_l%d%s' % (part, layer, way): rand(16, *((3 if layer == 0 else 8,) if part == 'weight_ih' else (
        4,) if part == 'weight_hh' else ())) for layer in (0, 1) for way in ('', '_reverse')
        for part in ('weight_ih', 'weight_hh', 'bias_ih', 'bias_hh')}
    _core.write_safetensors(file, arrays, {})
    lstm = L.NStepBiLSTM(2, 3, 4, 0.0)
    assert len(serializers.load_safetensors(file, lstm, weight_names='pytorch', names={'': 'rnn'})[0]) == 16
    numpy.testing.assert_array_equal(lstm[3].w1.array, arrays['rnn.weight_ih_l1_reverse'][4:8])
    keras = {'dense/kernel': rand(3, 2), 'dense/bias': rand(2)}
    _core.write_safetensors(file, keras, {})
    dense = chainer.Chain(dense=L.Linear(2))
    serializers.load_safetensors(file, dense, weight_names='keras')
    numpy.testing.assert_array_equal(dense.dense.W.array, keras['dense/kernel'].T)


def test_summary():
    net = chainer.Sequential(L.Convolution2D(3, 4, 3), F.relu, L.Linear(None, 5))
    s = chainer.summary(net, rand(2, 3, 8, 8))
    assert [(r.path, r.type, r.parameters) for r in s.rows] == [
        ('/', 'Sequential', 0), ('/0', 'Convolution2D', 112), ('/1', 'Linear', 725)]
    assert s.parameters == 837 and s.multiply_adds == 2 * 36 * 4 * 27 + 2 * 144 * 5
    assert s.rows[1].outputs == [(2, 4, 6, 6)] and 'Convolution2D' in str(s)
    chainer.optimizers.SGD().setup(net)
    net[0].disable_update()
    assert chainer.summary(net, rand(2, 3, 8, 8)).frozen == 112


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize('kv_heads', [None, 1, 2])
@pytest.mark.parametrize('causal', [False, True])
def test_attention_is_its_formula(kv_heads, causal):
    layer = L.MultiHeadAttention(8, 4, kv_heads=kv_heads, causal=causal)
    x = rand(2, 5, 8)
    mask = numpy.random.RandomState(0).rand(2, 1, 5, 5) > 0.3
    mask |= numpy.eye(5, dtype=bool)
    y = layer(x, mask=mask).array

    def heads(link, count):
        h = x @ link.W.array.T + link.b.array
        h = h.reshape(2, 5, count, 2).transpose(0, 2, 1, 3)
        return numpy.repeat(h, 4 // count, axis=1)
    n = kv_heads or 4
    q, k, v = heads(layer.query, 4), heads(layer.key, n), heads(layer.value, n)
    scores = q @ k.transpose(0, 1, 3, 2) / numpy.sqrt(2)
    allowed = mask & numpy.tril(numpy.ones((5, 5), bool)) if causal else mask
    p = softmax(numpy.where(allowed, scores, -1e30))
    h = (p @ v).transpose(0, 2, 1, 3).reshape(2, 5, 8)
    numpy.testing.assert_allclose(y, h @ layer.output.W.array.T + layer.output.b.array, atol=1e-5)


def test_a_cache_continues_a_sequence():
    for make in (lambda: L.TransformerEncoder(2, 8, 2, causal=True, rotary=True, norm_first=True),
                 lambda: models.Gpt2(**GPT2)):
        net = make()
        x = IDS if isinstance(net, models.Gpt2) else rand(2, 3, 8)
        whole = without_graph(net, x).array
        caches = []
        with chainer.using_config('train', False):
            parts = [net(x[:, i:i + 1], caches=caches).array for i in range(3)]
        numpy.testing.assert_allclose(numpy.concatenate(parts, axis=1), whole, atol=1e-5)
        assert caches[0].length == 3
        caches[0].truncate(1)
        with pytest.raises(ValueError, match='0 ... 1'):
            caches[0].truncate(2)
        caches[1].select([1, 0])
        with pytest.raises(ValueError, match='caches'):
            net(x, caches=caches[:1])
    decoder = L.TransformerDecoder(2, 8, 2)
    x, memory = rand(2, 3, 8), rand(2, 4, 8)
    whole = without_graph(decoder, x, memory).array
    caches, memory_caches = [], []
    with chainer.using_config('train', False):
        parts = [decoder(x[:, i:i + 1], memory, caches=caches, memory_caches=memory_caches).array for i in range(3)]
    numpy.testing.assert_allclose(numpy.concatenate(parts, axis=1), whole, atol=1e-5)
    assert memory_caches[0].length == 4


def test_checkpointed_layers_have_the_same_gradients():
    numpy.random.seed(0)
    plain = L.TransformerEncoder(2, 8, 2, dropout=0)
    x = rand(2, 3, 8)
    plain(x)
    saving = L.TransformerEncoder(2, 8, 2, dropout=0, checkpoint=True)
    saving(x)
    saving.copyparams(plain)
    for net in (plain, saving):
        net.cleargrads()
        F.sum(net(x) ** 2).backward()
    for (path, a), (_, b) in zip(sorted(plain.namedparams()), sorted(saving.namedparams())):
        numpy.testing.assert_allclose(a.grad, b.grad, rtol=1e-4, atol=1e-5, err_msg=path)


def test_low_rank():
    linear = L.Linear(3, 4)
    adapted = L.LowRank(linear, 2, alpha=4, initial_up=0.5)
    x = rand(5, 3)
    y = adapted(x)
    w = linear.W.array + 2 * adapted.up.array @ adapted.down.array
    numpy.testing.assert_allclose(y.array, x @ w.T + linear.b.array, atol=1e-5)
    adapted.cleargrads()
    F.sum(y).backward()
    assert linear.W.grad is None and adapted.up.grad is not None and adapted.down.grad is not None
    adapted.merge()
    numpy.testing.assert_allclose(adapted(x).array, y.array, atol=1e-5)
    with pytest.raises(RuntimeError, match='merged'):
        serializers.DictionarySerializer().save(adapted)
    with pytest.raises(RuntimeError, match='already'):
        adapted.merge()
    adapted.unmerge()
    net = L.MultiHeadAttention(8, 2)
    net.query = L.LowRank(net.query, 2)
    assert '/query/down' in dict(net.namedparams())


def test_tokenizers(tmp_path):
    t = tokenizers.Tokenizer.train_byte_level_bpe(
        ['hello world', 'hello there'] * 10, 300, special_tokens=['<|end|>'])
    ids = t.encode('hello wörld')
    assert t.decode(ids) == 'hello wörld' and len(t) <= 300 and t.id_of('<|end|>') == 0 and t.id_of('zz') is None
    t.save(tmp_path / 'tokenizer.json')
    assert tokenizers.Tokenizer.load(tmp_path).encode('hello wörld') == ids
    batch = t.encode_batch(['a', 'bcd'], length=5)
    assert batch.ids.shape == batch.mask.shape == (2, 5) and batch.mask.sum(axis=1).tolist() == [1, 3]
    (tmp_path / 'vocab.txt').write_text('\n'.join(['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'hello', 'wor', '##ld']))
    w = tokenizers.Tokenizer.word_piece(tmp_path / 'vocab.txt')
    assert w.encode('Hello world') == [2, 4, 5, 6, 3] and w.padding_id == 0 and w.token_of(6) == '##ld'
    pairs = w.encode_batch([('hello', 'world'), ('world', 'hello')])
    assert pairs.ids[0].tolist() == [2, 4, 3, 5, 6, 3] and pairs.type_ids[0].tolist() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(IndexError):
        w.decode([1000])
    with pytest.raises(OSError):
        tokenizers.Tokenizer.load(tmp_path / 'absent')
    with pytest.raises(TypeError, match='Tokenizer.load'):
        tokenizers.Tokenizer('path')


def test_models_are_read_from_files(tmp_path):
    from chainer import _core
    numpy.random.seed(0)
    bert = models.Bert(**BERT)
    without_graph(bert, IDS)
    arrays = {}

    def linear(name, link):
        arrays[name + '.weight'], arrays[name + '.bias'] = link.W.array, link.b.array

    def norm(name, link):
        arrays[name + '.gamma'], arrays[name + '.beta'] = link.gamma.array, link.beta.array
    for part, link in (('word', bert.words), ('position', bert.positions), ('token_type', bert.types)):
        arrays['bert.embeddings.%s_embeddings.weight' % part] = link.W.array
    norm('bert.embeddings.LayerNorm', bert.norm)
    for i, layer in enumerate(bert.encoder.layers):
        name = 'bert.encoder.layer.%d.' % i
        for part in ('query', 'key', 'value'):
            linear(name + 'attention.self.' + part, layer.attention[part])
        linear(name + 'attention.output.dense', layer.attention.output)
        norm(name + 'attention.output.LayerNorm', layer.norm1)
        linear(name + 'intermediate.dense', layer.linear1)
        linear(name + 'output.dense', layer.linear2)
        norm(name + 'output.LayerNorm', layer.norm2)
    _core.write_safetensors(str(tmp_path / 'model.safetensors'), arrays, {})
    (tmp_path / 'config.json').write_text(json.dumps(dict(BERT, model_type='bert', other=1)))
    loaded = models.Bert.load(tmp_path)
    mask = numpy.array([[1, 1, 0], [1, 1, 1]], bool)
    with chainer.using_config('train', False):
        h, again = bert(IDS, mask=mask), loaded(IDS, mask=mask)
    numpy.testing.assert_array_equal(h.array, again.array)
    mean = models.mean_of_tokens(h, mask).array
    numpy.testing.assert_allclose(mean[0], h.array[0, :2].mean(axis=0), rtol=1e-5)
    assert bert.pooled(h).shape == (2, 8)
    del arrays['bert.encoder.layer.1.output.dense.bias']
    _core.write_safetensors(str(tmp_path / 'model.safetensors'), arrays, {})
    with pytest.raises(ValueError, match='layer.1.output.dense.bias is missing'):
        models.Bert.load(tmp_path)
    (tmp_path / 'config.json').write_text(json.dumps(dict(BERT, model_type='gpt2')))
    with pytest.raises(ValueError, match='model_type'):
        models.Bert.load(tmp_path)
    with pytest.raises(ValueError, match='positive integer'):
        models.Bert(hidden_size=0)


def test_generation():
    numpy.random.seed(0)
    gpt = models.Gpt2(**GPT2)
    alone = [models.generate(gpt, [p], 5)[0] for p in ([1, 2, 3], [4])]
    assert models.generate(gpt, [[1, 2, 3], [4]], 5) == alone
    seen = []
    streamed = models.generate(gpt, [[1, 2, 3], [4]], 5, stream=lambda tokens: seen.append(tokens) or len(seen) < 3)
    assert [s[:3] for s in alone] == streamed and list(zip(*streamed)) == [tuple(s) for s in seen]
    assert models.generate(gpt, [[1]], 100)[0][:4] == models.generate(gpt, [[1]], 4)[0]
    assert len(models.generate(gpt, [[1]], 100)[0]) == 9  # n_positions
    end = alone[0][1]
    assert models.generate(gpt, [[1, 2, 3]], 5, end=end)[0] == alone[0][:alone[0].index(end) + 1]
    numpy.random.seed(3)
    drawn = models.generate(gpt, [[1]] * 50, 1, temperature=1.0, top_k=3)
    assert 1 < len({d[0] for d in drawn}) <= 3
    for wrong in (dict(top_p=0), dict(temperature=-1), dict(max_new_tokens=-1)):
        with pytest.raises(ValueError, match='generate'):
            models.generate(gpt, [[1]], **wrong)
    with pytest.raises(ValueError, match='1 to 10'):
        models.generate(gpt, [[]])
    assert models.generate(gpt, []) == []


def test_unigram(tmp_path):
    file = tmp_path / 'tokenizer.json'
    space = chr(0x2581)
    file.write_text(json.dumps({
        'pre_tokenizer': {'type': 'Metaspace'}, 'decoder': {'type': 'Metaspace'},
        'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['<unk>', 0], [space, -3], ['a', -2], [space + 'a', -4],
                                                            ['aa', -5]]}}))
    tokenizer = tokenizers.Tokenizer.load(file)
    assert list(tokenizer.encode('a aaa?')) == [3, 3, 2, 2, 0]
    assert tokenizer.decode(tokenizer.encode('a aaa')) == 'a aaa'
