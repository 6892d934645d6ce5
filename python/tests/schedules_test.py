# SPDX-License-Identifier: MIT
"""Schedules that the release does not have."""
import math

import numpy
import pytest

import chainer
from chainer import links as L
from chainer.training import extensions


class Trainer(object):
    """What a schedule asks of a trainer."""

    def __init__(self):
        self.optimizer = chainer.optimizers.SGD(0.5).setup(L.Linear(1, 1))
        self.updater = self

    def get_optimizer(self, name):
        return self.optimizer


def values(schedule, count):
    trainer = Trainer()
    schedule.initialize(trainer)
    found = [trainer.optimizer.lr]
    for _ in range(count):
        schedule(trainer)
        found.append(trainer.optimizer.lr)
    return found


def test_cosine_with_warm_up():
    found = values(extensions.CosineShift('lr', 10, warmup=2, target=0.1), 11)
    assert found[:3] == [0, 0.25, 0.5]
    assert found[6] == pytest.approx(0.3) and found[4] == pytest.approx(0.1 + 0.4 * (1 + math.cos(math.pi / 4)) / 2)
    assert found[10:] == [0.1, 0.1]


def test_polynomial_decay():
    assert values(extensions.PolynomialDecay('lr', 4, init=1., power=2), 5) == pytest.approx(
        [1, 0.5625, 0.25, 0.0625, 0, 0])


def test_one_cycle():
    # torch.optim.lr_scheduler.OneCycleLR(max_lr=1, total_steps=10), rounded.
    found = values(extensions.OneCycle('lr', 1., 10), 9)
    assert found[0] == pytest.approx(0.04) and found[2] == pytest.approx(1) and found[9] == pytest.approx(4e-6)
    assert found[1] == pytest.approx(0.52) and max(found) == found[2]
    straight = values(extensions.OneCycle('lr', 1., 10, linear=True), 9)
    assert straight[1] == pytest.approx(0.52) and straight[3] == pytest.approx(1 - (1 - 4e-6) / 7)


def test_one_cycle_with_a_rise_of_less_than_an_iteration():
    # torch.optim.lr_scheduler.OneCycleLR(max_lr=0.1, total_steps=5, pct_start=0.1, div_factor=2, final_div_factor=10)
    assert values(extensions.OneCycle('lr', .1, 5, .1, 2., 10.), 4) == pytest.approx(
        [0.09713539948733066, 0.07625, 0.044251711560820806, 0.01611288895184855, 0.005])


def resumed(schedule, **values):
    """Returns the value of a schedule that is initialized with these values of a file."""
    schedule.serialize(chainer.serializers.NpzDeserializer({k: numpy.array(v) for k, v in values.items()}))
    trainer = Trainer()
    schedule.initialize(trainer)
    return trainer.optimizer.lr


def test_schedules_in_files_of_runs_that_hardly_began():
    # (NaN: files of the C++ library.)
    assert resumed(extensions.ExponentialShift('lr', 0.1), _t=0, _last_value=float('nan')) == 0.5
    for calls, expected in ((0, .1), (2, .3), (9, .5)):
        assert resumed(extensions.WarmupShift('lr', .1, 4, .5), _t=calls) == pytest.approx(expected)


def test_a_resumed_schedule_goes_on(tmp_path):
    for make in (lambda: extensions.CosineShift('lr', 10, warmup=2), lambda: extensions.OneCycle('lr', 1., 10),
                 lambda: extensions.PolynomialDecay('lr', 10, init=0.5)):
        whole = values(make(), 8)
        first, trainer = make(), Trainer()
        first.initialize(trainer)
        for _ in range(4):
            first(trainer)
        chainer.serializers.save_npz(tmp_path / 'schedule', first)
        second, trainer = make(), Trainer()
        chainer.serializers.load_npz(tmp_path / 'schedule', second)
        second.initialize(trainer)
        found = [trainer.optimizer.lr]
        for _ in range(4):
            second(trainer)
            found.append(trainer.optimizer.lr)
        assert found == pytest.approx(whole[4:])


def test_wrong_numbers():
    for call in (lambda: extensions.CosineShift('lr', 2, warmup=2), lambda: extensions.OneCycle('lr', 1., 1),
                 lambda: extensions.OneCycle('lr', -1., 10), lambda: extensions.PolynomialDecay('lr', 3, power=0)):
        with pytest.raises(ValueError):
            call()
