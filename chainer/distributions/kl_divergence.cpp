// SPDX-License-Identifier: MIT
#include <mutex>

#include "chainer/core/system/fork.h"
#include "chainer/core/system/type_name.h"
#include "chainer/distributions/parameters.h"
#include "chainer/functions/math.h"

namespace chainer {
namespace detail {
namespace {

struct Registry {
  ForkSafe<std::mutex> mutex{kForkLeaf};
  std::map<std::pair<std::type_index, std::type_index>, KlFunction> formulas;
  template <class T>
  void add() {
    formulas[{typeid(T), typeid(T)}] = [](const Distribution& p, const Distribution& q) {
      return distributions::kl(static_cast<const T&>(p), static_cast<const T&>(q));
    };
  }
  Registry() {
    using namespace distributions;
    add<Bernoulli>(), add<Beta>(), add<Categorical>(), add<Dirichlet>(), add<Laplace>(), add<LogNormal>();
    add<MultivariateNormal>(), add<Normal>(), add<Uniform>();
  }
};

Registry& registry() {
  static Registry* r = new Registry;  // never destroyed, because its ForkSafe lock must not be
  return *r;
}
[[maybe_unused]] const Registry& registry_made_early = registry();  // before threads, see core/pool.cpp

}  // namespace

void register_kl(std::type_index dist1, std::type_index dist2, KlFunction f) {
  const std::lock_guard lock(registry().mutex);
  registry().formulas[{dist1, dist2}] = std::move(f);
}

}  // namespace detail

Variable kl_divergence(const Distribution& dist1, const Distribution& dist2) {
  detail::KlFunction formula;
  {
    const std::lock_guard lock(detail::registry().mutex);
    const auto& formulas = detail::registry().formulas;
    if (const auto it = formulas.find({typeid(dist1), typeid(dist2)}); it != formulas.end()) formula = it->second;
  }
  if (!formula)
    throw NotImplementedError("kl_divergence: no formula for ", dist1.name(), " and ", dist2.name(),
                              " is registered; see register_kl()");
  return formula(dist1, dist2);
}

Variable cross_entropy(const Distribution& dist1, const Distribution& dist2) {
  return dist1.entropy() + kl_divergence(dist1, dist2);
}

}  // namespace chainer
