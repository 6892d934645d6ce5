// SPDX-License-Identifier: MIT
// Walks over models of n links: their costs are linear in the number of links.
#include "costs.h"

#include <chainer/chainer.h>

using namespace chainer;

namespace {

struct Named : Chain {
  CHAINER_MEMBERS(Named);
};

// n children with two parameters each.
std::shared_ptr<Named> wide(int n) {
  auto c = std::make_shared<Named>();
  for (int i = 0; i < n; ++i) c->add_link("l" + std::to_string(i), L::Linear(1, 1));
  return c;
}
std::shared_ptr<ChainList> list(int n) {
  auto c = std::make_shared<ChainList>();
  for (int i = 0; i < n; ++i) c->append(L::Linear(1, 1));
  return c;
}
std::shared_ptr<Sequential> layers(int n) {
  auto s = std::make_shared<Sequential>();
  for (int i = 0; i < n; ++i) s->append(L::Linear(1, 1));
  return s;
}
std::shared_ptr<Named> deep(int n) {
  auto c = std::make_shared<Named>();
  for (int i = 0; i < n; ++i) {
    auto outer = std::make_shared<Named>();
    outer->add_link("in", c);
    outer->add_param("W", Shape{1});
    c = outer;
  }
  return c;
}
// One parameter under n names.
std::shared_ptr<ChainList> tied(int n) {
  auto c = std::make_shared<ChainList>();
  const auto one = std::make_shared<L::Linear>(1, 1);
  for (int i = 0; i < n; ++i) c->append(one);
  return c;
}

template <class Make, class Use>
costs::Prepare on(Make make, Use use) {
  return [=](int n) -> std::function<void()> {
    auto link = make(n);
    return [=] { use(*link); };
  };
}
template <class Make>
void walks(const std::string& what, int n, Make make) {
  const auto expect = [&](const char* walk, auto use) { costs::expect_linear(what + ": " + walk, n, on(make, use)); };
  expect("cleargrads", [](Link& l) { l.cleargrads(); });
  expect("params", [](Link& l) { (void)l.params(); });
  expect("namedparams", [](Link& l) { (void)l.namedparams(); });
  expect("namedlinks", [](Link& l) { (void)l.namedlinks(); });
  expect("links", [](Link& l) { (void)l.links(); });
  expect("count_params", [](Link& l) { (void)l.count_params(); });
  expect("clone", [](Link& l) { (void)l.clone(CopyMode::copy); });
  expect("copyparams", [](Link& l) { l.copyparams(l); });
  expect("addgrads", [](Link& l) { l.addgrads(l); });
  expect("to_device", [](Link& l) { l.to_cpu(); });
  expect("serialize", [](Link& l) {
    serializers::DictionarySerializer s;
    l.serialize(s);
  });
  expect("setup and update of an optimizer", [](Link& l) {
    optimizers::SGD o(0.1);
    o.setup(l);
    l.zerograds();
    o.update();
  });
}

}  // namespace

TEST(costs_of_walks_over_links) {
  walks("children by name", 250, wide);
  walks("children by number", 250, list);
  walks("layers", 250, layers);
  walks("one link n times", 250, tied);
  costs::expect_linear("add_link", 250, [](int n) { return [n] { (void)wide(n); }; });
  costs::expect_linear("append", 250, [](int n) { return [n] { (void)list(n); }; });
  costs::expect_linear("repeat", 125, [](int n) { return [n] { (void)L::Linear(1, 1).repeat(n); }; });
}

// Paths are as long as the nesting is deep, so functions that return all paths are quadratic in bytes. The number of
// steps is linear at depths that occur.
TEST(costs_of_walks_over_nested_links) { walks("nested", 50, deep); }
