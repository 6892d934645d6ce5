// SPDX-License-Identifier: MIT
// Numbers stored in links that are changed between the calls of a static chain.
#include <chainer/chainer.h>

#include "models.h"
#include "test.h"

using namespace chainer;
using namespace static_models;

namespace {

struct Scaled : Chain {
  L::Linear l{12, 5};
  char before = 1;  // a neighbour of the member that changes
  float ratio = 1;
  bool twice = false;
  int runs = 0;
  CHAINER_MEMBERS(Scaled, l);
  Variable forward(const Variable& x) {
    ++runs;
    const Variable y = l(x) * ratio;
    return twice ? y * 2 : y;
  }
};

struct Owner : Chain {
  std::shared_ptr<Scaled> one = std::make_shared<Scaled>();
  std::vector<Scaled> more;
  CHAINER_MEMBERS(Owner, one, more);
  Owner() {
    more.push_back(Scaled());
    more.push_back(Scaled());
  }
  Variable forward(const Variable& x) { return (*one)(x) + more[0](x) + more[1](x); }
};

struct Renormalized : Chain {
  L::Linear l{12, 8};
  L::BatchRenormalization bn{8};
  CHAINER_MEMBERS(Renormalized, l, bn);
  Variable forward(const Variable& x) { return F::relu(bn(l(x))); }
};

// Six iterations; `change` changes the model before each.
template <class Model, class Change>
ScheduleManager::Counts expect_alike(Model& plain, Model& twin, Change change) {
  auto chain = static_graph(twin);
  for (int i = 0; i < 6; ++i) {
    change(plain, i), change(twin, i);
    const Array x = floats({6, 12});
    plain.cleargrads(), twin.cleargrads();
    const Variable u = plain(x), v = chain(Variable(x, false));
    EXPECT(same(u.array(), v.array()));
    F::sum(F::square(u)).backward(), F::sum(F::square(v)).backward();
    const auto a = plain.namedparams(), b = twin.namedparams();
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT(same(a[k].second.grad(), b[k].second.grad()));
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  return chain.schedule_manager().counts();
}

}  // namespace

TEST(the_decay_of_running_statistics_may_change) {
  Noisy plain, twin = plain.copy(CopyMode::copy);
  auto chain = static_graph(twin);
  for (int i = 0; i < 8; ++i) {
    plain.bn.decay = twin.bn.decay = i < 4 ? 0.9 : 0.5;
    const Array x = floats({6, 12});
    for (Noisy* m : {&plain, &twin}) {
      random::seed(1);
      m->cleargrads();
      F::sum(m == &twin ? chain(Variable(x, false)) : plain(x)).backward();
    }
    EXPECT(same(plain.bn.avg_mean, twin.bn.avg_mean));
    EXPECT(same(plain.bn.avg_var, twin.bn.avg_var));
  }
  EXPECT_EQ(chain.schedule_manager().counts().recorded, 2);
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 6);
}

TEST(the_limits_of_batch_renormalization_may_be_raised) {
  Renormalized plain, twin = plain.copy(CopyMode::copy);
  const auto counts = expect_alike(plain, twin, [](Renormalized& m, int i) {
    if (i % 3 == 0) m.bn.rmax = 1 + i * 0.25, m.bn.dmax = i * 0.5;
    if (i == 4) m.bn.eps = 1e-2;
  });
  EXPECT_EQ(counts.recorded, 3);
  EXPECT(same(plain.bn.avg_mean, twin.bn.avg_mean));
}

TEST(numbers_of_the_user_s_own_links_may_change) {
  Scaled plain, twin = plain.copy(CopyMode::copy);
  const auto counts = expect_alike(plain, twin, [](Scaled& m, int i) {
    m.ratio = i < 2 ? 1.f : 3.f;
    m.twice = i == 5;
    m.before = 1;
  });
  EXPECT_EQ(counts.recorded, 3);
  EXPECT_EQ(counts.replayed, 3);
  EXPECT_EQ(twin.runs, 3);  // a counter that the call itself increments is not a change
}

TEST(numbers_of_links_behind_pointers_and_in_lists_may_change) {
  Owner plain, twin = plain.copy(CopyMode::copy);
  const auto counts = expect_alike(plain, twin, [](Owner& m, int i) {
    if (i == 2) m.one->ratio = 2;
    if (i == 4) m.more[1].ratio = 3;
  });
  EXPECT_EQ(counts.recorded, 3);
}

TEST(a_derived_class_without_members_of_its_own_is_not_replayed) {
  struct Derived : Scaled {
    float more = 1;
    Variable forward(const Variable& x) { return Scaled::forward(x) * more; }
  };
  struct Same : Scaled {};
  Derived derived;
  EXPECT(static_graph(derived).schedule_manager().refused().find("CHAINER_MEMBERS of its own") != std::string::npos);
  Same same_size;
  EXPECT_EQ(static_graph(same_size).schedule_manager().refused(), "");
}

TEST(an_old_value_finds_its_schedule_again) {
  Scaled plain, twin = plain.copy(CopyMode::copy);
  const auto counts = expect_alike(plain, twin, [](Scaled& m, int i) { m.ratio = i % 2 ? 1.f : 2.f; });
  EXPECT_EQ(counts.recorded, 2);
  EXPECT_EQ(counts.replayed, 4);
}

TEST(persistent_arrays_that_are_replaced_are_no_change) {
  Noisy model;
  auto chain = static_graph(model);
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  for (int i = 0; i < 4; ++i) {
    model.bn.avg_mean = floats({16});
    const Array x = floats({3, 12});
    EXPECT(same(chain(x).array(), model(x).array()));
  }
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
}

TEST(what_the_configuration_says_by_name_is_never_replayed) {
  Mlp model;
  auto chain = static_graph([&](const Variable& x) { return model(x) * config().get<double>("temperature"); }, model);
  for (int i = 0; i < 3; ++i) {
    const UsingConfig temperature("temperature", 1.0 + i);
    const Array x = floats({3, 12});
    EXPECT(same(chain(Variable(x, false)).array(), (model(x) * (1.0 + i)).array()));
  }
  EXPECT(chain.schedule_manager().refused().find("'temperature'") != std::string::npos);
}
