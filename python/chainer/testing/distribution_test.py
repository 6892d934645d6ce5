# SPDX-License-Identifier: MIT
"""Compares a distribution with SciPy's."""
import functools
import unittest

import numpy

import chainer
from chainer.testing.array import assert_allclose


class distribution_unittest(unittest.TestCase):
    """setUp_configure() sets dist, scipy_dist, params, scipy_params and test_targets; sample_for_test() returns
    values."""

    scipy_onebyone = False
    _TARGETS = ('batch_shape', 'cdf', 'covariance', 'entropy', 'event_shape', 'icdf', 'log_cdf', 'log_prob',
                'log_survival', 'mean', 'mode', 'prob', 'sample', 'stddev', 'support', 'survival', 'variance')

    def setUp(self):
        self.support = 'real'
        if not hasattr(self, 'event_shape'):
            self.event_shape = ()
        self.continuous = True
        self.test_targets = set()
        self.options = {}
        self.setUp_configure()
        unknown = self.test_targets - set(self._TARGETS)
        if unknown:
            raise ValueError('invalid target(s): {}'.format(unknown))
        if self.is_variable:
            self.params = {k: chainer.Variable(v) for k, v in self.params.items()}

    def setUp_configure(self):
        raise NotImplementedError

    def sample_for_test(self):
        raise NotImplementedError

    def scipy_onebyone_params_iter(self):
        for index in numpy.ndindex(self.shape):
            yield {k: v[index] for k, v in self.scipy_params.items()}

    @property
    def cpu_dist(self):
        """The distribution with the test's parameters."""
        arguments = dict(self.params)
        arguments.update(self.options)
        return self.dist(**arguments)

    @property
    def gpu_dist(self):
        from chainer.backends import cuda
        cuda.check_cuda_available()

    def _expected_at(self, method, samples):
        """SciPy's function of the samples."""
        if not self.scipy_onebyone:
            return getattr(self.scipy_dist, method)(samples, **self.scipy_params)
        shape = self.sample_shape + self.shape
        expected = numpy.empty(shape, numpy.float64)
        for index, params in zip(numpy.ndindex(self.shape), self.scipy_onebyone_params_iter()):
            at = (slice(None),) * len(self.sample_shape) + index
            one = samples[at]
            function = getattr(self.scipy_dist, method)
            if self.event_shape:
                rows = one.reshape((-1,) + self.event_shape)
                values = numpy.array([function(row, **params) for row in rows]).reshape(self.sample_shape)
            else:
                values = function(one, **params)
            expected[at] = values
        return expected

    def _expected(self, method, event_shape=()):
        if not self.scipy_onebyone:
            return getattr(self.scipy_dist, method)(**self.scipy_params)
        values = [getattr(self.scipy_dist, method)(**params) for params in self.scipy_onebyone_params_iter()]
        return numpy.vstack([numpy.atleast_1d(v) for v in values]).reshape(self.shape + event_shape)

    def _density(self, log):
        return ('log' if log else '') + ('pdf' if self.continuous else 'pmf')

    def _compare_at(self, name, method, samples=None):
        samples = self.sample_for_test() if samples is None else samples
        assert_allclose(getattr(self.cpu_dist, name)(samples).array, self._expected_at(method, samples))

    def check_batch_shape(self, is_gpu=False):
        assert self.cpu_dist.batch_shape == self.shape

    def check_event_shape(self, is_gpu=False):
        assert self.cpu_dist.event_shape == self.event_shape

    def check_support(self, is_gpu=False):
        assert self.cpu_dist.support == self.support

    def check_cdf(self, is_gpu=False):
        self._compare_at('cdf', 'cdf')

    def check_log_cdf(self, is_gpu=False):
        self._compare_at('log_cdf', 'logcdf')

    def check_icdf(self, is_gpu=False):
        samples = numpy.random.uniform(1e-5, 1 - 1e-5, self.sample_shape + self.shape).astype(numpy.float32)
        self._compare_at('icdf', 'ppf', samples)

    def check_prob(self, is_gpu=False):
        self._compare_at('prob', self._density(False))

    def check_log_prob(self, is_gpu=False):
        self._compare_at('log_prob', self._density(True))

    def check_survival(self, is_gpu=False):
        self._compare_at('survival_function', 'sf')

    def check_log_survival(self, is_gpu=False):
        self._compare_at('log_survival_function', 'logsf')

    def check_entropy(self, is_gpu=False):
        assert_allclose(self.cpu_dist.entropy.array, self._expected('entropy'))

    def check_mean(self, is_gpu=False):
        assert_allclose(self.cpu_dist.mean.array, self._expected('mean', self.event_shape))

    def check_mode(self, is_gpu=False):
        assert_allclose(self.cpu_dist.mode.array, self._expected('mode', self.event_shape))

    def check_stddev(self, is_gpu=False):
        assert_allclose(self.cpu_dist.stddev.array, self._expected('std', self.event_shape))

    def check_variance(self, is_gpu=False):
        assert_allclose(self.cpu_dist.variance.array, self._expected('var', self.event_shape))

    def check_covariance(self, is_gpu=False):
        if hasattr(self.scipy_dist, 'cov'):
            expected = self._expected('cov', self.event_shape * 2)
        else:
            expected = numpy.array([params['cov'] for params in self.scipy_onebyone_params_iter()]).reshape(
                self.shape + self.event_shape * 2)
        assert_allclose(self.cpu_dist.covariance.array, expected)

    def check_sample(self, is_gpu=False):
        count = 100000
        samples = self.cpu_dist.sample(sample_shape=(count,) + self.sample_shape).array
        whole = self.sample_shape + self.shape + self.event_shape
        assert samples.shape == (count,) + whole
        if self.scipy_onebyone:
            drawn = [self.scipy_dist.rvs(size=count, **params) for params in self.scipy_onebyone_params_iter()]
            expected = numpy.stack(drawn, 1).reshape((count,) + self.shape + self.event_shape)
        else:
            expected = self.scipy_dist.rvs(size=(count,) + self.shape + self.event_shape, **self.scipy_params)
        # Means of samples differ from the expectation by some standard errors.
        a, b = samples.astype(numpy.float64), expected.astype(numpy.float64)
        for power in (1, 2):
            x, y = a ** power, b ** power
            error = numpy.sqrt((x.var(axis=0) + y.var(axis=0)) / count)
            assert (abs(x.mean(axis=0) - y.mean(axis=0)) <= 6 * error + 1e-5).all()


def _test(target):
    def test(self):
        if target in self.test_targets:
            getattr(self, 'check_' + target)(False)
    test.__name__ = 'test_{}_cpu'.format(target)
    return test


for _target in distribution_unittest._TARGETS:
    setattr(distribution_unittest, 'test_{}_cpu'.format(_target), _test(_target))


def skip_not_in_test_target(test_target):
    """Skips a test method unless its class has the target in test_targets."""
    def decorate(method):
        @functools.wraps(method)
        def call(self, *args, **kwargs):
            if test_target not in self.test_targets:
                self.skipTest('{} is not tested'.format(test_target))
            return method(self, *args, **kwargs)
        return call
    return decorate
