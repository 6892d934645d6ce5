// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/mn/extensions.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::mn::extensions {
namespace {

struct Averager : MemberVisitor {
  explicit Averager(CommunicatorBase& c) : comm(c) {}
  void link(const std::string&, Link& l) override { l.visit(*this); }
  void persistent(const std::string&, Array& v) override {
    if (!v || !is_floating(v.dtype())) return;
    copy_elements(comm.allreduce(v) * (1.0 / comm.size()), v);
  }
  void persistent(const std::string&, double& v) override { v = comm.allreduce(array(v)).item<double>() / comm.size(); }
  using MemberVisitor::persistent;
  CommunicatorBase& comm;
};

}  // namespace

void AllreducePersistent::operator()(Trainer&) { (*this)(); }
void AllreducePersistent::operator()() {
  Averager average(*comm_);
  model_->visit(average);
}

}  // namespace chainer::mn::extensions
