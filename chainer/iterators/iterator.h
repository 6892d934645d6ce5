// SPDX-License-Identifier: MIT
// The interface of iterators (manual: "Iterator Interface").
#pragma once
#include <optional>

#include "chainer/core/kept.h"
#include "chainer/core/serializer.h"
#include "chainer/datasets/dataset.h"

namespace chainer {

/// Thrown by next() at the end of an iterator that does not repeat.
class StopIteration : public Error {
 public:
  using Error::Error;
};

/// Base of iterators.
class Iterator : public Anchored {
 public:
  /// Returns the next batch, or nothing at the end. Throws what the dataset throws.
  virtual std::optional<Examples> try_next() = 0;
  /// Returns the next batch. Throws StopIteration at the end.
  Examples next();
  virtual void finalize() {}
  /// Returns to the start.
  virtual void reset() = 0;
  virtual void serialize(Serializer& s) = 0;
  virtual int64_t batch_size() const = 0;
  virtual int64_t epoch() const = 0;
  /// The epoch with its fractional part.
  virtual double epoch_detail() const = 0;
  /// The epoch_detail() before the last batch; nothing before the first.
  virtual std::optional<double> previous_epoch_detail() const = 0;
  /// Returns true if the last batch completed an epoch.
  virtual bool is_new_epoch() const = 0;
  virtual bool repeat() const = 0;
};

}  // namespace chainer
