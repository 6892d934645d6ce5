# SPDX-License-Identifier: MIT
import chainer.training.extensions.util  # NOQA
from chainer.training.extensions._snapshot import snapshot, snapshot_object  # NOQA
from chainer.training.extensions.commands_extension import CommandsExtension  # NOQA
from chainer.training.extensions.computational_graph import dump_graph, DumpGraph  # NOQA
from chainer.training.extensions.confusion_matrix_report import ConfusionMatrixReport  # NOQA
from chainer.training.extensions.cosine_shift import CosineShift  # NOQA
from chainer.training.extensions.dashboard import Dashboard  # NOQA
from chainer.training.extensions.evaluator import Evaluator  # NOQA
from chainer.training.extensions.exponential_shift import ExponentialShift  # NOQA
from chainer.training.extensions.fail_on_nonnumber import FailOnNonNumber  # NOQA
from chainer.training.extensions.html_report import HtmlReport  # NOQA
from chainer.training.extensions.inverse_shift import InverseShift  # NOQA
from chainer.training.extensions.linear_shift import LinearShift  # NOQA
from chainer.training.extensions.live_page import LivePage  # NOQA
from chainer.training.extensions.log_report import LogReport  # NOQA
from chainer.training.extensions.micro_average import MicroAverage  # NOQA
from chainer.training.extensions.multistep_shift import MultistepShift  # NOQA
from chainer.training.extensions.one_cycle import OneCycle  # NOQA
from chainer.training.extensions.parameter_statistics import ParameterStatistics  # NOQA
from chainer.training.extensions.plot_report import PlotReport  # NOQA
from chainer.training.extensions.polynomial_decay import PolynomialDecay  # NOQA
from chainer.training.extensions.polynomial_shift import PolynomialShift  # NOQA
from chainer.training.extensions.print_notebook_report import PrintReportNotebook  # NOQA
from chainer.training.extensions.print_report import PrintReport  # NOQA
from chainer.training.extensions.progress_bar import ProgressBar  # NOQA
from chainer.training.extensions.progress_bar_notebook import ProgressBarNotebook  # NOQA
from chainer.training.extensions.save_arguments import SaveArguments  # NOQA
from chainer.training.extensions.step_shift import StepShift  # NOQA
from chainer.training.extensions.tensorboard import TensorBoard  # NOQA
from chainer.training.extensions.trace import Trace  # NOQA
from chainer.training.extensions.value_observation import observe_lr, observe_value  # NOQA
from chainer.training.extensions.variable_statistics_plot import VariableStatisticsPlot  # NOQA
from chainer.training.extensions.warmup_shift import WarmupShift  # NOQA
from chainer.training.extensions.weight_average import WeightAverage  # NOQA
