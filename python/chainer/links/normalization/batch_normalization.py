# SPDX-License-Identifier: MIT
from chainer import configuration, get_dtype, initializers, link, variable
from chainer import functions as F
from chainer.utils import argument


class BatchNormalization(link.Link):
    """Normalization by the batch's statistics during training, otherwise by running averages."""

    gamma = None
    beta = None
    avg_mean = None
    avg_var = None

    def __init__(self, size=None, decay=0.9, eps=2e-5, dtype=None, use_gamma=True, use_beta=True, initial_gamma=None,
                 initial_beta=None, axis=None, initial_avg_mean=None, initial_avg_var=None):
        super(BatchNormalization, self).__init__()
        if size is None and axis is None:
            raise RuntimeError('size or axis is required')
        self._initial_avg_mean, self._initial_avg_var = initial_avg_mean, initial_avg_var
        self.N, self.decay, self.eps = 0, decay, eps
        self.axis = (axis,) if isinstance(axis, int) else axis
        self._dtype = get_dtype(dtype)
        self.avg_mean = self.avg_var = None  # until the first call, if only axes are given
        self.register_persistent('avg_mean')
        self.register_persistent('avg_var')
        self.register_persistent('N')
        with self.init_scope():
            if use_gamma:
                gamma = initializers._get_initializer(1 if initial_gamma is None else initial_gamma)
                gamma.dtype = self._dtype
                self.gamma = variable.Parameter(gamma)
            if use_beta:
                beta = initializers._get_initializer(0 if initial_beta is None else initial_beta)
                beta.dtype = self._dtype
                self.beta = variable.Parameter(beta)
        if size is not None:
            self._initialize_params(size)

    def _init_array(self, initializer, default, size):
        initializer = default if initializer is None else initializer
        initializer = initializers._get_initializer(initializer)
        return initializers.generate_array(initializer, size, self.xp, dtype=self._dtype)

    def _initialize_params(self, shape):
        with self._device:
            self.avg_mean = self._init_array(self._initial_avg_mean, 0, shape)
            self.avg_var = self._init_array(self._initial_avg_var, 1, shape)
        if self.gamma is not None:
            self.gamma.initialize(shape)
        if self.beta is not None:
            self.beta.initialize(shape)

    def forward(self, x, **kwargs):
        finetune, = argument.parse_kwargs(
            kwargs, ('finetune', False), test='test argument is not supported anymore. Use chainer.using_config')
        if self.avg_mean is None:
            shape = tuple([n for i, n in enumerate(x.shape) if i not in self.axis])
            self._initialize_params(shape)
        gamma = self.xp.ones(self.avg_mean.shape, x.dtype) if self.gamma is None else self.gamma
        beta = self.xp.zeros(self.avg_mean.shape, x.dtype) if self.beta is None else self.beta
        if configuration.config.train:
            if finetune:
                self.N += 1
                decay = 1. - 1. / self.N
            else:
                decay = self.decay
            avg_mean, avg_var = self.avg_mean, self.avg_var
            if configuration.config.in_recomputing:
                # The first run has updated the averages.
                avg_mean, avg_var = None, None
            return F.batch_normalization(x, gamma, beta, eps=self.eps, running_mean=avg_mean, running_var=avg_var,
                                         decay=decay, axis=self.axis)
        return F.fixed_batch_normalization(x, gamma, beta, self.avg_mean, self.avg_var, self.eps, axis=self.axis)

    def start_finetuning(self):
        self.N = 0
