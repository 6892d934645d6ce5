// SPDX-License-Identifier: MIT
#include <deque>

#include "chainer/functions/array.h"
#include "chainer/mn/links.h"

namespace chainer::mn {

void MultiNodeChainList::add_link(Kept<Link> link, const AddLinkOptions& o) {
  for (const auto* way : {&o.rank_in, &o.rank_out})
    for (const int r : way->all())
      if (r < 0 || r >= comm_->size())
        throw ValueError("MultiNodeChainList: rank ", r, " is out of range for ", comm_->size(), " ranks");
  if (!o.rank_out.given())
    for (const AddLinkOptions& other : ways_)
      if (!other.rank_out.given())
        throw ValueError(
            "MultiNodeChainList: two components without rank_out; only one may be the output of the model");
  append(std::move(link));
  ways_.push_back(o);
}

namespace {

// The device of the link's parameters.
Device device_of(const Link& link) {
  for (const auto& [path, p] : link.namedparams())
    if (p.is_initialized()) return p.array().device();
  return {};
}

}  // namespace

Variables MultiNodeChainList::forward(const Variables& inputs) {
  Variable delegate;  // depends on all communication so far; orders the following communication after it
  Variables output;
  std::deque<Variables> own;
  const int self = comm_->rank();
  const auto connected = [&](const Variables& x) {
    return delegate && !x.empty() ? functions::pseudo_connect(delegate, x) : x;
  };
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    Variables x;
    if (!ways_[i].rank_in.given()) {
      x = connected(inputs);
    } else {
      for (const int r : ways_[i].rank_in.all()) {
        Variables part;
        if (r == self) {
          if (own.empty())
            throw ValueError("MultiNodeChainList: component ", i,
                             " takes an input from its own rank, but no earlier component sends one to it");
          part = connected(own.front());
          own.pop_front();
        } else {
          part = functions::recv_tuple(comm_, r, {.delegate_variable = delegate});
          delegate = part[0];
        }
        for (const Variable& v : part) x.push_back(v);
      }
    }
    Link& component = (*this)[static_cast<int64_t>(i)];
    if (const Device to = device_of(component); !to.is_host())
      for (Variable& v : x) v = v.device() == to ? v : F::copy(v, to);
    Variables y = component.call(x);
    if (!ways_[i].rank_out.given()) {
      output = std::move(y);
      continue;
    }
    for (const int r : ways_[i].rank_out.all()) {
      if (r == self)
        own.push_back(y);
      else
        delegate = functions::send(connected(y), comm_, r);
    }
  }
  if (!own.empty())
    throw ValueError("MultiNodeChainList: ", own.size(), " outputs sent to the own rank are not used by any component");
  if (output.empty()) return {delegate};
  return connected(output);
}

}  // namespace chainer::mn
