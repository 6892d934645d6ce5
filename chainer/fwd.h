// SPDX-License-Identifier: MIT
// Forward declarations of the main classes, for headers that use them by reference or pointer. A source file that uses
// objects includes the header of their chapter, or chainer/chainer.h.
#pragma once

namespace chainer {

class Array;
class Axes;
class Device;
class Dims;
class Index;
class Scalar;
class Shape;

struct Config;
class Function;
class FunctionHook;
class FunctionNode;
class Parameter;
class ReportValue;
class Reporter;
class Variable;

class Chain;
class ChainList;
class Child;
enum class CopyMode;
class Link;
class LinkHook;
class Sequential;

class GradientMethod;
class Optimizer;
class UpdateRule;

class AnyDataset;
class Dataset;
class Distribution;
class Example;
class Iterator;
class Serializer;

namespace datasets {
class TransformDataset;
class TupleDataset;
}  // namespace datasets

namespace iterators {
class MultiprocessIterator;
class MultithreadIterator;
class SerialIterator;
}  // namespace iterators

namespace links {
class BatchNormalization;
class Classifier;
class Convolution2D;
class EmbedID;
class LSTM;
class Linear;
class NStepLSTM;
}  // namespace links
namespace L = links;

namespace optimizers {
class Adam;
class MomentumSGD;
class SGD;
}  // namespace optimizers

namespace random {
class RandomState;
}  // namespace random

namespace training {
class Extension;
class Trainer;
class Trigger;
class Updater;
namespace extensions {
class Evaluator;
}  // namespace extensions
namespace updaters {
class StandardUpdater;
}  // namespace updaters
using updaters::StandardUpdater;
}  // namespace training
namespace extensions = training::extensions;
using training::Trainer;

}  // namespace chainer
