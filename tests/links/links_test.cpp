// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include "chainer/links/link_hook.h"
#include "test.h"

using namespace chainer;

namespace {
struct MLP : Chain {
  L::Linear l1, l2;
  std::optional<L::Linear> projection;
  std::vector<L::Linear> more;
  int64_t calls = 0;
  Array running = zeros({2});
  int plain = 3;
  MLP(int64_t in, int64_t out) : l1(in, 4), l2(4, out) {
    more.emplace_back(2, 2);
    more.emplace_back(2, 3);
  }
  CHAINER_MEMBERS(MLP, l1, l2, projection, more, calls, running);
  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
};
std::vector<std::string> paths(const Link& l) {
  std::vector<std::string> out;
  for (const auto& [path, p] : l.namedparams()) out.push_back(path);
  return out;
}
MLP make() {
  MLP m(3, 2);
  return m;
}
}  // namespace

TEST(members_give_paths_in_order) {
  MLP m(3, 2);
  const std::vector<std::string> expected{"/l1/W",     "/l1/b",     "/l2/W",     "/l2/b",
                                          "/more/0/W", "/more/0/b", "/more/1/W", "/more/1/b"};
  EXPECT(paths(m) == expected);
  EXPECT_EQ(m.namedlinks()[0].first, "/");
  EXPECT_EQ(m.namedlinks(true)[0].first, "/l1");
  EXPECT_EQ(m.children().size(), std::size_t(4));
  EXPECT_EQ(m.l2.name(), "l2");
  EXPECT_EQ(m.count_params(), 3 * 4 + 4 + 4 * 2 + 2 + 4 + 2 + 6 + 3);
  EXPECT(&m["l2"] == &m.l2);
  EXPECT_THROW(KeyError, "no child 'l9'", m["l9"]);
}

namespace {
struct Owning : Chain {
  std::unique_ptr<L::Linear> first = std::make_unique<L::Linear>(3, 2), none;
  std::vector<std::unique_ptr<L::Linear>> rest;
  Owning() { rest.push_back(std::make_unique<L::Linear>(2, 2)); }
  CHAINER_MEMBERS(Owning, first, none, rest);
  Variable forward(const Variable& x) { return (*rest[0])((*first)(x)); }
};
struct OwningVectors : Chain {
  std::vector<std::unique_ptr<L::Linear>> rest;
  CHAINER_MEMBERS(OwningVectors, rest);
};
}  // namespace

TEST(links_may_own_members_through_pointers) {
  Owning link, other;
  EXPECT_EQ(link.namedparams()[2].first, "/rest/0/W");
  EXPECT_EQ(link.params().size(), std::size_t(4));
  const Array x = ones({1, 3});
  serializers::DictionarySerializer s;
  link.serialize(s);
  serializers::NpzDeserializer d(
      std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(s.target()), "memory"));
  other.serialize(d);
  EXPECT_CLOSE(other(x).array(), link(x).array(), {.atol = 0, .rtol = 0});
  const Owning moved(std::move(link));
  EXPECT_EQ(moved.params().size(), std::size_t(4));
  EXPECT_THROW(TypeError, "a std::unique_ptr among its members", other.copy());
  EXPECT_THROW(TypeError, "a std::unique_ptr among its members", OwningVectors().copy());
}

TEST(copies_say_which_kind_they_are) {
  random::seed(0);
  MLP m(3, 2);
  EXPECT_THROW(RuntimeError, "must not be copied implicitly", MLP(m));
  m.cleargrads();
  MLP shared = m.copy();
  EXPECT(shared.l1.W.array().is(m.l1.W.array()) && !shared.l1.W.is(m.l1.W));
  EXPECT(shared.l1.b->array().is(m.l1.b->array()) && !shared.l1.b->is(*m.l1.b));
  MLP copied = m.copy(CopyMode::copy);
  EXPECT(!copied.more[1].W.array().is(m.more[1].W.array()));
  EXPECT_CLOSE(copied.more[1].W.array(), m.more[1].W.array());
  MLP fresh = m.copy(CopyMode::init);
  EXPECT(!all(equal(fresh.l1.W.array(), m.l1.W.array())).item<bool>());
  EXPECT_EQ(fresh.plain, 3);
  fresh.copyparams(m);
  EXPECT_CLOSE(fresh.l1.W.array(), m.l1.W.array());
}

TEST(borrowed_links_are_checked) {
  Kept<Link> gone;
  {
    MLP m = make();
    gone = Kept<Link>(m);
    MLP moved = std::move(m);
    EXPECT(&gone.get() == &moved);
  }
  EXPECT_THROW(RuntimeError, "no longer exists", gone.get());
  auto optimizer = optimizers::SGD().setup(make());  // owned
  EXPECT_EQ(optimizer.target().params().size(), std::size_t(8));
}

TEST(linear_finds_its_input_size) {
  L::Linear l(5);
  EXPECT(!l.W.is_initialized());
  EXPECT_EQ(l(zeros({2, 3, 4})).shape(), (Shape{2, 5}));
  EXPECT_EQ(l.W.shape(), (Shape{5, 12}));
  L::Linear nobias(3, 2, {.nobias = true});
  EXPECT(!nobias.b);
  EXPECT_EQ(nobias(zeros({4, 3})).shape(), (Shape{4, 2}));
  EXPECT_EQ(L::Linear(2, 3, {.initialW = 0.5})(ones({1, 2})).array().to_vector<float>()[2], 1.f);
  EXPECT_EQ(L::Linear(4, 3)(zeros({2, 5, 4}), 2).shape(), (Shape{2, 5, 3}));
}

TEST(sequential) {
  random::seed(0);
  auto layer = Sequential(L::Linear(4), F::relu);
  auto model = layer.repeat(2).flatten();
  model.append(L::Linear(2));
  EXPECT_EQ(model.size(), std::size_t(5));
  EXPECT_EQ(model(zeros({3, 6})).shape(), (Shape{3, 2}));
  const std::vector<std::string> expected{"/0/W", "/0/b", "/1/W", "/1/b", "/2/W", "/2/b"};
  EXPECT(paths(model) == expected);
  EXPECT_EQ(model.namedparams()[2].second.shape(), (Shape{2, 4}));  // the last link directly follows the first
  const std::string text = to_string(model);
  EXPECT(text.find("0\tLinear\tW((4, 6))\tb((4,))\t\n1\trelu\t") == 0);
  EXPECT_EQ(model.count_by_layer_type("relu"), 2);
  model.remove_by_layer_type("relu");
  EXPECT_EQ(model.size(), std::size_t(3));
  auto nested = Sequential(std::move(model), F::tanh);
  EXPECT_EQ(nested.flatten().size(), std::size_t(4));
  EXPECT_THROW(IndexError, "out of range", nested[7]);
  const Sequential copy = nested.copy(CopyMode::copy);
  EXPECT_EQ(copy.size(), std::size_t(2));
  EXPECT(nested.pop().name() == "tanh");
}

// The numbers of the release depend on the order in which layers were inserted and removed.
TEST(numbers_of_layers_that_were_moved) {
  const auto f = [](const Variable& x) { return F::relu(x); };
  Sequential s(f, L::Linear(1, 1), L::Linear(2, 1), F::tanh, L::Linear(3, 1), L::Linear(4, 1));
  const auto numbers = [&] {
    std::string out;
    for (const Layer& l : s) {
      std::string name = "-";
      for (const auto& [path, link] : s.namedlinks())
        if (l.is_link() && link == &l.link()) name = path.substr(1);
      out += name;
    }
    return out;
  };
  EXPECT_EQ(numbers(), "-01-32");
  s.insert(0, L::Linear(5, 1));
  EXPECT_EQ(numbers(), "0-12-43");
  s.insert(2, L::Linear(6, 1));
  EXPECT_EQ(numbers(), "0-123-54");
  s.pop(1);
  EXPECT_EQ(numbers(), "0123-54");
  s.pop(2);
  EXPECT_EQ(numbers(), "012-43");
  s.set(1, L::Linear(7, 1));
  EXPECT_EQ(numbers(), "012-43");
  s.set(0, f);
  EXPECT_EQ(numbers(), "-01-32");
  s.append(L::Linear(8, 1));
  EXPECT_EQ(numbers(), "-01-432");
  s.insert(-1, L::Linear(9, 1));
  EXPECT_EQ(numbers(), "-01-5423");
  EXPECT(paths(s.copy(CopyMode::copy)) == paths(s));
  s.extend(Sequential(L::Linear(10, 1), L::Linear(11, 1), L::Linear(12, 1)));
  EXPECT_EQ(numbers(), "-01-8756432");
  s.remove_by_layer_type("<lambda>");
  EXPECT_EQ(numbers(), "01-8756432");
}

// As in the release, each copy is a layer with its own number: W is named /0/0/W in files.
TEST(repeated_links_nest) {
  const auto block = Sequential(L::Linear(3, 3), F::tanh);
  const auto twice = block.repeat(2);
  EXPECT_EQ(twice.size(), std::size_t(2));
  EXPECT(paths(twice) == (std::vector<std::string>{"/0/0/W", "/0/0/b", "/1/0/W", "/1/0/b"}));
  EXPECT(paths(twice.repeat(2))[6] == "/1/1/0/W");
  EXPECT(paths(block.repeat(0)).empty());
  EXPECT_EQ(to_string(twice), "0\tSequential\twhich has 2 layers\n1\tSequential\twhich has 2 layers\n");
  auto mixed = Sequential(L::Linear(3, 3), block.repeat(2), L::Linear(3, 2));
  EXPECT(paths(mixed) ==
         (std::vector<std::string>{"/0/W", "/0/b", "/1/W", "/1/b", "/2/0/0/W", "/2/0/0/b", "/2/1/0/W", "/2/1/0/b"}));
  EXPECT_EQ(mixed(zeros({2, 3})).shape(), (Shape{2, 2}));
  // A file of the release (interop/make_reference.py) loads, and files written here have the same keys.
  auto model = Sequential(L::Linear(3, 4), Sequential(L::Linear(4, 4), F::tanh).repeat(3), L::Linear(4, 2));
  const serializers::NpzFile release(TEST_DATA "release_nested.npz");
  serializers::load_npz(TEST_DATA "release_nested.npz", model);
  EXPECT_CLOSE(model(release.array("x")).array(), release.array("y"), {.atol = 1e-6, .rtol = 1e-6});
  for (const std::string& path : paths(model)) EXPECT(release.contains(path.substr(1)));
  EXPECT_EQ(paths(model).size() + 2, release.keys().size());
  EXPECT(paths(L::Linear(2, 2).repeat(2)) == (std::vector<std::string>{"/0/W", "/0/b", "/1/W", "/1/b"}));
}

namespace {
struct WithValues : Chain {
  L::Linear l{2, 2};
  int64_t steps = 0;
  double rate = 0;
  bool ready = false;
  std::string mode = "none";
  Array mean;
  CHAINER_MEMBERS(WithValues, l, steps, rate, ready, mode, mean);
  std::pair<Variable, std::vector<Variable>> forward(const Variable& x, bool twice, const std::string& word) {
    if (word == "fail") throw ValueError("this word was forbidden");
    return {l(x), std::vector<Variable>(twice ? 2 : 1, x * 2)};
  }
};
struct OtherKind : Chain {
  L::Linear l{2, 2};
  double steps = 0;
  CHAINER_MEMBERS(OtherKind, l, steps);
};
struct Outer : Chain {
  WithValues inner;
  CHAINER_MEMBERS(Outer, inner);
};
}  // namespace

TEST(copyparams_copies_every_persistent_value) {
  Outer from, to;
  from.inner.steps = 7, from.inner.rate = 0.25, from.inner.ready = true, from.inner.mode = "fast";
  from.inner.mean = array({1.f, 2.f});
  to.copyparams(from);
  EXPECT_EQ(to.inner.steps, 7);
  EXPECT_EQ(to.inner.rate, 0.25);
  EXPECT(to.inner.ready);
  EXPECT_EQ(to.inner.mode, "fast");
  EXPECT_CLOSE(to.inner.mean, array({1.f, 2.f}));
  EXPECT(!to.inner.mean.is(from.inner.mean));
  from.inner.steps = 8;
  to.copyparams(from, false);
  EXPECT_EQ(to.inner.steps, 7);
  OtherKind other, plain;
  EXPECT_THROW(TypeError, "the persistent value /steps has another type", (other.copyparams(from.inner), 0));
  EXPECT_THROW(KeyError, "no persistent value /mean", (from.inner.copyparams(plain), 0));
}

TEST(link_hooks_see_all_arguments_and_results) {
  struct Watch : LinkHook {
    void forward_preprocess(const LinkHookArgs& a) override {
      if (a.link.class_name().find("WithValues") == std::string::npos) return;
      arguments = a.arguments.size();
      word = a.arguments[2].as<std::string>() ? *a.arguments[2].as<std::string>() : "";
      twice = a.arguments[1].as<bool>() && *a.arguments[1].as<bool>();
      wrong = a.arguments[1].as<int>() != nullptr;
      variables = a.args.size();
    }
    void forward_postprocess(const LinkHookArgs& a) override {
      if (a.link.class_name().find("WithValues") == std::string::npos) return;
      out = a.out.size();
      second = a.result.as<std::pair<Variable, std::vector<Variable>>>()->second.back().shape();
    }
    void forward_aborted(const LinkHookArgs&) noexcept override { ++aborted; }
    std::size_t arguments = 0, variables = 0, out = 0;
    std::string word;
    bool twice = false, wrong = false;
    Shape second;
    int aborted = 0;
  } watch;
  link_hooks::TimerHook timer;
  const LinkHookScope first(watch), scope(timer);
  WithValues link;
  const auto [y, more] = link(Variable(ones({3, 2})), true, std::string("slow"));
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(watch.arguments, std::size_t(3));
  EXPECT_EQ(watch.word, "slow");
  EXPECT(watch.twice && !watch.wrong);
  EXPECT_EQ(watch.variables, std::size_t(1));
  EXPECT_EQ(watch.out, std::size_t(3));
  EXPECT_EQ(watch.second, (Shape{3, 2}));
  EXPECT_THROW(ValueError, "forbidden", link(Variable(ones({3, 2})), true, std::string("fail")));
  EXPECT_EQ(watch.aborted, 1);
  (void)link(Variable(ones({3, 2})), false, std::string("slow"));
  EXPECT_EQ(timer.call_history().back().depth, 0);
  EXPECT_EQ(timer.call_history().size(), std::size_t(4));  // the call that threw is not recorded
}

TEST(chain_list_and_links_added_at_run_time) {
  ChainList list(L::Linear(2, 3), L::Linear(3, 4));
  const std::vector<std::string> expected{"/0/W", "/0/b", "/1/W", "/1/b"};
  EXPECT(paths(list) == expected);
  list.reverse();
  EXPECT_EQ(dynamic_cast<L::Linear&>(list[0]).out_size(), 4);
  EXPECT_THROW(IndexError, "out of range", list[2]);
  Chain c;
  c.add_link("l", L::Linear(2, 3));
  c.add_param("scale", Shape{2}, 1.0);
  c.add_persistent("count", zeros({1}));
  EXPECT_THROW(KeyError, "a member of that name exists", c.add_link("scale", L::Linear(1, 1)));
  EXPECT_EQ(paths(c).size(), std::size_t(3));
  const auto copy = [&] { return c.clone(CopyMode::copy); };
  EXPECT_THROW(NotImplementedError, "cannot be copied", copy());
}

TEST(classifier_reports) {
  random::seed(0);
  L::Classifier model(MLP(3, 2));
  EXPECT_EQ(paths(model)[0], "/predictor/l1/W");
  Reporter reporter;
  reporter.add_observer("main", &model);
  {
    const auto current = reporter.make_current();
    (void)model(zeros({4, 3}), array({0, 1, 0, 1}));
  }
  EXPECT_EQ(reporter.observation().at("main/accuracy").number(), 0.5);
  EXPECT(model.loss && model.y.shape() == (Shape{4, 2}));
  L::Classifier named(MLP(3, 2), {.label_key = std::string("t")});
  (void)named.call(NamedVariables{{"x", zeros({4, 3})}, {"t", array({0, 1, 0, 1})}});
  EXPECT_THROW(ValueError, "label key 't'", named.call(NamedVariables{{"x", zeros({4, 3})}}));
  L::Classifier first(MLP(3, 2), {.label_key = int64_t(5)});
  EXPECT_THROW(ValueError, "out of range for 2 arguments", first(zeros({4, 3}), array({0, 1, 0, 1})));
  L::Classifier no_accuracy(MLP(3, 2), {.accfun = nullptr});
  EXPECT(!no_accuracy.compute_accuracy);
  L::Classifier copy = model.copy(CopyMode::copy);
  EXPECT(!copy.params()[0].is(model.params()[0]));
}

TEST(gradients_and_updates_of_links) {
  MLP m(3, 2), other(3, 2);
  F::sum(m(ones({2, 3}))).backward();
  other.cleargrads();
  m.cleargrads();
  F::sum(m(ones({2, 3}))).backward();
  other.addgrads(m);
  EXPECT_CLOSE(other.l2.W.grad(), m.l2.W.grad());
  auto optimizer = optimizers::SGD().setup(m);
  m.l1.disable_update();
  EXPECT(!m.l1.update_enabled() && m.update_enabled());
  const Array before = m.l1.W.array().copy();
  optimizer.update();
  EXPECT_CLOSE(m.l1.W.array(), before, {.atol = 0, .rtol = 0});
}

TEST(other_links) {
  random::seed(0);
  L::EmbedID e(5, 2);
  EXPECT_EQ(e(array({1, 4})).shape(), (Shape{2, 2}));
  L::Scale scale(1, Shape{3}, {.bias_term = true});
  EXPECT_EQ(scale(ones({2, 3})).shape(), (Shape{2, 3}));
  EXPECT_EQ(paths(scale).size(), std::size_t(2));
  L::Bias bias;
  EXPECT_EQ(bias(ones({2, 3}), array({1.f, 2.f, 3.f})).array().to_vector<float>()[1], 3.f);
  EXPECT_THROW(ValueError, "a second argument is needed", bias(ones({2, 3})));
  L::Parameter p(array({1.f}));
  EXPECT_EQ(p().item<float>(), 1.f);
}

TEST(link_hooks) {
  MLP m(3, 2);
  link_hooks::TimerHook timer;
  {
    const LinkHookScope scope(timer);
    (void)m(zeros({2, 3}));
  }
  EXPECT_EQ(timer.call_history().size(), std::size_t(3));
  EXPECT_EQ(timer.summary().at("Linear").occurrence, 2);
  EXPECT(timer.total_time() >= timer.summary().at("Linear").elapsed_time);
}

TEST(initializers_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "initializers.npz");
  const auto check = [&](const char* name, const Initializer& init, const Shape& shape = {4, 6}) {
    random::seed(9);
    Array a(shape, float32);
    init(a);
    EXPECT_CLOSE(abs(Variable(a)).array(), absolute(f.array(name)), {.atol = 1e-6});  // signs of the SVD are arbitrary
    if (std::string_view(name) != "Orthogonal") EXPECT_CLOSE(a, f.array(name), {.atol = 0, .rtol = 1e-6});
  };
  check("Normal", initializers::Normal());
  check("LeCunNormal", initializers::LeCunNormal());
  check("GlorotNormal", initializers::GlorotNormal());
  check("HeNormal", initializers::HeNormal());
  check("HeNormal_fan_out", initializers::HeNormal(1.0, {}, initializers::FanOption::fan_out), {4, 3, 2});
  check("Orthogonal", initializers::Orthogonal());
  check("Uniform", initializers::Uniform());
  check("LeCunUniform", initializers::LeCunUniform());
  check("GlorotUniform", initializers::GlorotUniform());
  check("HeUniform", initializers::HeUniform());
  Array square({3, 3});
  initializers::Identity(2)(square);
  EXPECT_EQ(sum(square).item<float>(), 6.f);
  Array tall({6, 4}), flat({4});
  EXPECT_THROW(ValueError, "cannot be orthogonal", initializers::Orthogonal()(tall));
  EXPECT_THROW(ValueError, "at least two axes", initializers::LeCunNormal()(flat));
  EXPECT_THROW(ValueError, "square", initializers::Identity()(tall));
  EXPECT_THROW(TypeError, "dtype", initializers::Normal(1, float64)(flat));
  EXPECT_THROW(ValueError, "but the initializer has", generate_array(initializers::Zero(float64), {2}, float32));
}

// Initial parameters for a seed, results and gradients agree with release 5.4.0 (conformance/make_training.py).
TEST(links_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  const Array x = f.array("link/x"), cube = f.array("link/cube"), ids = f.array("link/ids");
  const Array labels = f.array("link/labels");
  const auto check = [&](const std::string& name, auto make, auto call) {
    random::seed(4);
    auto link = make();
    if (Array W = link.params()[0].array(); name.starts_with("NegativeSampling") || name == "BlackOut")
      W.set(ellipsis, arange(16).reshape({4, 4}) / 10. - 0.7);
    Variable y = call(link);
    y.set_grad(ones_like(y.array()));
    y.backward();
    EXPECT_CLOSE(y.array(), f.array("link/" + name + "/y"), {.atol = 1e-6});
    for (const auto& [path, p] : link.namedparams()) {
      EXPECT_CLOSE(p.array(), f.array("link/" + name + path), {.atol = 1e-7});
      EXPECT_CLOSE(p.grad(), f.array("link/" + name + path + "_grad"), {.atol = 1e-6});
    }
  };
  const auto on_x = [&](auto& l) { return l(x); };
  check(
      "Linear", [] { return L::Linear(4, 5); }, on_x);
  check(
      "Linear_lazy", [] { return L::Linear(5); }, [&](auto& l) { return l(cube); });
  check(
      "Linear_nobias", [] { return L::Linear(4, 5, {.nobias = true}); }, on_x);
  check(
      "Linear_axes", [] { return L::Linear(4, 5); }, [&](auto& l) { return l.forward(cube, 2); });
  check(
      "EmbedID", [] { return L::EmbedID(5, 3); }, [&](auto& l) { return l(ids); });
  check(
      "EmbedID_ignore", [] { return L::EmbedID(5, 3, {.ignore_label = 2}); }, [&](auto& l) { return l(ids); });
  check(
      "Bias", [] { return L::Bias(1, Shape{4}); }, on_x);
  check(
      "Scale", [] { return L::Scale(1, Shape{4}, {.bias_term = true}); }, on_x);
  const std::vector<double> counts = {5, 1, 3, 2};
  const auto sampled = [&](auto& l) { return l.forward(x, labels); };
  check(
      "NegativeSampling", [&] { return L::NegativeSampling(4, counts, 3); }, sampled);
  check(
      "NegativeSampling_power", [&] { return L::NegativeSampling(4, counts, 2, {.power = 0.5}); }, sampled);
  check(
      "BlackOut", [&] { return L::BlackOut(4, counts, 3); }, sampled);
  check(
      "BinaryHierarchicalSoftmax",
      [] {
        using L::Tree;
        return L::BinaryHierarchicalSoftmax(4, Tree(Tree(Tree(2), Tree(0)), Tree(Tree(3), Tree(1))));
      },
      sampled);
  check(
      "Classifier", [] { return L::Classifier(L::Linear(4, 3)); }, sampled);
}

TEST(huffmans_tree) {
  const L::Tree tree = L::BinaryHierarchicalSoftmax::create_huffman_tree({{0, 8}, {1, 5}, {2, 6}, {3, 4}});
  EXPECT_EQ(tree.branches[0].branches[0].leaf, 3);
  EXPECT_EQ(tree.branches[0].branches[1].leaf, 1);
  EXPECT_EQ(tree.branches[1].branches[0].leaf, 2);
  EXPECT_EQ(tree.branches[1].branches[1].leaf, 0);
}

TEST(crf1d_learns_and_predicts) {
  L::CRF1d link(2, array({{0.f, 1.f}, {2.f, 0.f}}));
  const Variables xs = {array({{1.f, 0.f}, {0.f, 1.f}}), array({{0.f, 0.5f}})}, ys = {array({0, 1}), array({1})};
  EXPECT_CLOSE(link(xs, ys).array(), F::crf1d(link.cost, xs, ys).array(), {.atol = 0});
  const auto best = link.argmax(xs);
  EXPECT_CLOSE(best.s.array(), array({2.5f, 1.f}), {});
  EXPECT_EQ(best.ps[1].item<int>(), 1);
  EXPECT_CLOSE(L::CRF1d(3).cost.array(), zeros({3, 3}), {});
}

TEST(dropconnect_drops_in_training_only) {
  L::SimplifiedDropconnect link(std::nullopt, 3);
  const Array x = ones({2, 4});
  const Array all = ones({3, 4});
  const Variable y = link(x, true, all, false);  // creates the weights
  EXPECT_CLOSE(y.array(), F::linear(x, link.W * 2.0, link.b->variable()).array(), {});
  const UsingConfig test_mode(&Config::train, false);
  EXPECT_CLOSE(link(x).array(), F::linear(x, link.W, link.b->variable()).array(), {});
}

TEST(walkers_alias_equals_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  random::seed(6);
  const utils::WalkerAlias alias({1, 2, 3, 4});
  EXPECT(alias.threshold() == f.array("walker/threshold").to_vector<float>());
  EXPECT(alias.values() == f.array("walker/values").to_vector<int>());
  EXPECT_CLOSE(alias.sample({5, 4}), f.array("walker/samples"), {.atol = 0});
  EXPECT_EQ(alias.sample({2}).dtype(), int32);
  EXPECT_THROW(ValueError, "position 1", utils::WalkerAlias({1, -1}));
  EXPECT_THROW(ValueError, "must be above 0, not 0", utils::WalkerAlias({0, 0}));
}
