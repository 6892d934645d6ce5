#include "chainer/array/backend.h"
#include "chainer/optimizers/optimizers.h"

namespace chainer::optimizers {

void FusedRule::update_core(Parameter& param) {
  Array data = param.array();
  std::vector<Array> arrays;
  for (const auto& [name, a] : state) arrays.push_back(a);
  const auto [op, hyper] = plan_(*this, param);
  data.device().backend().update(op, data, param.grad(), arrays, hyper);
}

}  // namespace chainer::optimizers
