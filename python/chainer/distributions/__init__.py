# SPDX-License-Identifier: MIT
from chainer.distribution import cross_entropy, Distribution, kl_divergence, register_kl  # NOQA
from chainer.distributions import utils  # NOQA
from chainer.distributions.bernoulli import Bernoulli  # NOQA
from chainer.distributions.beta import Beta  # NOQA
from chainer.distributions.categorical import Categorical  # NOQA
from chainer.distributions.dirichlet import Dirichlet  # NOQA
from chainer.distributions.laplace import Laplace  # NOQA
from chainer.distributions.log_normal import LogNormal  # NOQA
from chainer.distributions.multivariate_normal import MultivariateNormal  # NOQA
from chainer.distributions.normal import Normal  # NOQA
from chainer.distributions.uniform import Uniform  # NOQA
