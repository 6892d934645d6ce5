# SPDX-License-Identifier: MIT
"""Runs the cases of the folder device on "@reference", which every build has, and on the emulated CUDA device, which
builds of developers have; and programs of the manual on the latter, whose losses must be the host's."""
import os
import subprocess
import sys

import numpy
import pytest

import chainer
from chainer.backends import cuda

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = '@reference', '@cuda-emulated'
# Compiles kernels written as text for the emulated device.
COMPILER = 'c++ -std=c++20 -O1 -fPIC -shared -fwrapv -ffp-contract=off -I' + os.path.dirname(os.path.dirname(HERE))


def run(family, *command, **options):
    return subprocess.run([sys.executable] + list(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, CHAINER_GPU=family, **options))


def skip_without(family):
    there = run(family, '-c', 'import sys; from chainer.backends import cuda; sys.exit(not cuda.available)')
    if there.returncode:
        pytest.skip('the module has no devices named ' + family)


@pytest.mark.parametrize('family', FAMILIES)
@pytest.mark.parametrize('cases', sorted([n for n in os.listdir(os.path.join(HERE, 'device')) if n.endswith('.py')]))
def test_cases(family, cases):
    skip_without(family)
    options = dict(CHAINER_EMULATED_COMPILER=COMPILER) if cases.startswith('text_kernels') else {}
    done = run(family, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-c', os.path.join(HERE, 'pytest.ini'), '-o',
               'python_files=*_cases.py', os.path.join(HERE, 'device', cases), **options)
    assert done.returncode == 0, done.stdout


# What makes a program of the folder scripts, in a short form, use the device 0; the last entry is the number of losses.
PROGRAMS = {
    'mnist_trainer': [('gpu_id = -1', 'gpu_id = 0'), ('max_epoch = 10', 'max_epoch = 2'), 20],
    'word2vec': [('device=-1', 'device=0'),
                 ('return center, contexts\n\n\nf', 'return chainer.cuda.to_gpu((center, contexts), device)\n\n\nf'),
                 100],
    'recurrent': [('__init__(train_iter, optimizer)', '__init__(train_iter, optimizer, device=0)'),
                  ('self.converter(batch)', 'self.converter(batch, self.device)'), ("(100, 'iter", "(10, 'iter"),
                  ('eval_hook=', 'device=0, eval_hook='), 10],
    'dcgan': [('device=-1', 'device=0'), ("(100, 'iter", "(3, 'iter"),
              ('opt_gen = make', 'gen.to_gpu(0), dis.to_gpu(0)\nopt_gen = make'), 6],
    'seq2seq': [('range(100)', 'range(10)'), ('optimizer = chainer', 'model.to_gpu(0)\noptimizer = chainer'),
                ('zip(*batch)', '[chainer.cuda.to_gpu(x) for x in zip(*batch)]'), 10],
    'convnets': [('L.Classifier(model)', 'L.Classifier(model).to_gpu(0); x, t = chainer.cuda.to_gpu((x, t))'),
                 ("astype('i'), 100)", "astype('i'), 5)"), ('train(ResNet152', 'False and train(ResNet152'), 5],
}


@pytest.mark.parametrize('name', sorted(PROGRAMS))
def test_programs_have_the_losses_of_the_host(name, tmp_path):
    skip_without('@cuda-emulated')
    with open(os.path.join(HERE, 'scripts', name + '.py')) as f:
        text = f.read()
    changes, count = PROGRAMS[name][:-1], PROGRAMS[name][-1]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    program = tmp_path / 'program.py'
    program.write_text(text)
    done = run('@cuda-emulated', str(program), OUT=str(tmp_path))
    assert done.returncode == 0, done.stdout
    line = [s for s in done.stdout.splitlines() if s[:1].isdigit()][0]
    losses = [float(v) for v in line.split()][:count]
    with open(os.path.join(HERE, 'scripts', name + '.losses')) as f:
        expected = [float(v) for v in f.read().split()][:count]
    assert losses == pytest.approx(expected, abs=1e-4)


@pytest.mark.skipif(cuda.available, reason='there is a device')
def test_without_a_device():
    assert cuda.get_array_module(numpy.ones(2)) is numpy
    assert cuda.to_cpu([numpy.ones(2), None])[1] is None
    assert chainer.Variable(numpy.ones(2)).xp is numpy
    for use in (lambda: cuda.to_gpu(numpy.ones(2)), lambda: cuda.get_device_from_id(0), lambda: cuda.cupy.ones(2),
                lambda: chainer.links.Linear(2, 2).to_gpu(), lambda: cuda.elementwise('', '', '', 'name'),
                lambda: chainer.dataset.concat_examples([numpy.ones(2)], 0)):
        with pytest.raises(RuntimeError, match='CUDA is not available'):
            use()
