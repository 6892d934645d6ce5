// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <sstream>

#include "chainer/core/warnings.h"
#include "chainer/links/left_out.h"

#include "test.h"

using namespace chainer;

namespace {

struct Numbers : Chain {
  L::Linear l{2, 2};
  int steps = 3;
  float share = 0.25f;
  bool ready = true;
  std::map<std::string, L::Linear> heads;
  Numbers() {
    heads.emplace("left", L::Linear(2, 1));
    heads.emplace("right", L::Linear(2, 1));
  }
  CHAINER_MEMBERS(Numbers, l, steps, share, ready, heads);
  Variable forward(const Variable& x) { return heads.at("left")(l(x)); }
};

struct Sharing : Chain {
  std::vector<std::shared_ptr<L::Linear>> layers;
  std::shared_ptr<L::Linear> last;
  Sharing() {
    for (int i = 0; i < 2; ++i) layers.push_back(std::make_shared<L::Linear>(2, 2));
    last = layers[0];
  }
  CHAINER_MEMBERS(Sharing, layers, last);
  Variable forward(const Variable& x) { return (*last)((*layers[1])((*layers[0])(x))); }
};

// One weight for two layers, as in language models that tie embedding and output.
struct Tied : Chain {
  L::Linear a{3, 3}, b{3, 3};
  Tied() { b.W = a.W; }
  CHAINER_MEMBERS(Tied, a, b);
  Variable forward(const Variable& x) { return F::sum(b(a(x))); }
};

struct Forgetful : Chain {
  L::Linear listed{2, 2}, forgotten{2, 2};
  chainer::Parameter scale{1.0, Shape{2}};
  CHAINER_MEMBERS(Forgetful, listed);
  Variable forward(const Variable& x) { return forgotten(listed(x)) * scale.variable(); }
};

struct Three : Chain {
  CHAINER_MEMBERS(Three);
  Variable forward(const Variable& a, const Variable& b, const Variable& c) { return a + b + c; }
};

struct Deep : Chain {
  struct Block : Chain {
    L::Linear a{4, 4};
    CHAINER_MEMBERS(Block, a);
    Variable forward(const Variable& x) { return a(x); }
  };
  std::vector<Block> blocks;
  Deep() {
    for (int i = 0; i < 2; ++i) blocks.emplace_back();
  }
  CHAINER_MEMBERS(Deep, blocks);
  Variable forward(const Variable& x) { return blocks[1](F::concat({blocks[0](x), x}, 1)); }
};

std::string saved(Link& link) {
  std::ostringstream out;
  serializers::save_npz(out, link);
  return out.str();
}

}  // namespace

TEST(narrow_numbers_and_maps_are_members) {
  Numbers n;
  n.steps = 7, n.share = 0.5f;
  EXPECT_EQ(n.namedparams()[0].first, "/heads/left/W");
  std::istringstream in(saved(n));
  Numbers other;
  const serializers::LoadReport report = serializers::load_npz(in, other);
  EXPECT_EQ(other.steps, 7);
  EXPECT_EQ(other.share, 0.5f);
  EXPECT_EQ(report.loaded.size(), 9u);
  EXPECT(report.unused.empty() && report.missing.empty());
  Numbers third;
  third.copyparams(n);
  EXPECT_EQ(third.steps, 7);
  EXPECT_EQ(n.copy(CopyMode::copy).steps, 7);
}

TEST(copies_copy_shared_links_and_keep_what_they_share) {
  Sharing original;
  Sharing copy = original.copy(CopyMode::copy);
  EXPECT(copy.layers[0].get() != original.layers[0].get());
  EXPECT(copy.last.get() == copy.layers[0].get());
  EXPECT(!copy.layers[0]->W.is(original.layers[0]->W));
  copy.layers[0]->W.set_array(zeros({2, 2}));
  EXPECT(max(abs(original.layers[0]->W.array())).item<float>() > 0);
  EXPECT_EQ(original.params().size(), 4u);
  // In shared mode copies have their own links, which use the same arrays.
  Sharing shared = original.copy();
  EXPECT(shared.layers[1].get() != original.layers[1].get());
  EXPECT(shared.layers[1]->W.array().raw() == original.layers[1]->W.array().raw());
}

TEST(a_tied_parameter_is_updated_once) {
  Tied tied;
  EXPECT_EQ(tied.params().size(), 3u);
  const Array before = tied.a.W.array().copy();
  auto optimizer = optimizers::SGD({.lr = 0.5}).setup(tied);
  optimizer.update([&] { return tied(ones({2, 3})); });
  EXPECT_CLOSE(tied.a.W.array(), before - tied.a.W.grad() * 0.5);
  const Tied copy = tied.copy(CopyMode::copy);
  EXPECT(copy.a.W.is(copy.b.W) && !copy.a.W.is(tied.a.W));
  EXPECT_EQ(tied.copy(CopyMode::init).params().size(), 3u);
}

TEST(files_hold_a_tied_parameter_under_each_path) {
  Tied tied;
  const std::string file = saved(tied);
  const serializers::NpzFile npz(file, "file");
  EXPECT(npz.contains("a/W") && npz.contains("b/W"));
  Tied other;
  std::istringstream in(file);
  serializers::load_npz(in, other);
  EXPECT(other.a.W.is(other.b.W));
  EXPECT_CLOSE(other.a.W.array(), tied.a.W.array());
  struct Untied : Chain {
    L::Linear a{3, 3}, b{3, 3};
    void visit(MemberVisitor& v) override { v.link("a", a), v.link("b", b); }
  } untied;
  std::istringstream different(saved(untied));
  EXPECT_THROW(ValueError, "/a/W and /b/W are the same parameter in this link",
               serializers::load_npz(different, other));
}

TEST(what_was_moved_away_says_so) {
  L::Linear l(2, 2);
  const L::Linear taken = std::move(l);
  EXPECT_THROW(RuntimeError, "a Linear is called after it was moved elsewhere", l(ones({1, 2})));
  EXPECT_THROW(RuntimeError, "a Linear is used after it was moved elsewhere", l.params());
  EXPECT_THROW(RuntimeError, "a Linear is saved after it was moved elsewhere", saved(l));
  EXPECT_THROW(RuntimeError, "a Linear is copied after it was moved elsewhere", l.copy());
  Parameter p(ones({2}));
  const Parameter q = std::move(p);
  EXPECT_THROW(RuntimeError, "Parameter is used after it was moved from", p.array());
  l = L::Linear(2, 3);
  EXPECT_EQ(l(ones({1, 2})).shape(), Shape({1, 3}));
  EXPECT_THROW(RuntimeError, "holds no dataset", AnyDataset().size());
}

namespace {
struct Pointing : Chain {
  L::Linear listed{2, 2};
  std::unique_ptr<L::Linear> unique = std::make_unique<L::Linear>(2, 2);
  std::shared_ptr<L::Linear> shared = std::make_shared<L::Linear>(2, 2);
  std::vector<L::Bias> several;
  L::Linear* own = &listed;
  Pointing() { several.emplace_back(1, Shape{2}); }
  CHAINER_MEMBERS(Pointing, listed);
  Variable forward(const Variable& x) { return (*unique)((*shared)(listed(x))); }
};
struct Listing : Chain {
  std::unique_ptr<L::Linear> unique = std::make_unique<L::Linear>(2, 2);
  std::shared_ptr<L::Linear> shared = std::make_shared<L::Linear>(2, 2);
  CHAINER_MEMBERS(Listing, unique, shared);
  Variable forward(const Variable& x) { return (*unique)((*shared)(x)); }
};
struct Empty : Chain {
  std::vector<std::shared_ptr<L::Linear>> layers;
  CHAINER_MEMBERS(Empty);
};
struct Unlisted : Chain {
  L::Linear l{2, 2};
  Variable forward(const Variable& x) { return l(x); }
};
}  // namespace

TEST(links_behind_pointers_are_found) {
  Pointing model;
  const std::vector<std::string> lines = links_behind_pointers(model);
  EXPECT_EQ(lines.size(), 3u);
  EXPECT(lines[0].find("a Linear that /, a Pointing, points to is not in its CHAINER_MEMBERS") == 0);
  EXPECT(lines[2].find("a Bias that /") == 0);
  optimizers::SGD optimizer;
  const int64_t warnings = warning_count();
  optimizer.setup(model);
  EXPECT_EQ(warning_count(), warnings + 3);
  Listing listing;
  EXPECT_EQ(links_behind_pointers(listing).size(), 0u);
  const auto chain = Sequential(L::Linear(2, 2), F::relu, L::Classifier(L::Linear(2, 2)));
  EXPECT_EQ(links_behind_pointers(chain).size(), 0u);
}

TEST(a_model_without_parameters_is_a_warning) {
  Empty model;
  optimizers::Adam optimizer;
  const int64_t warnings = warning_count();
  optimizer.setup(model);
  EXPECT_EQ(warning_count(), warnings + 1);
  EXPECT(last_warning().find("Adam: the Empty given to setup() has no parameters") == 0);
  Unlisted unlisted;
  optimizer.setup(unlisted);
  EXPECT(last_warning().find("its class has no CHAINER_MEMBERS") != std::string::npos);
  Link& base = unlisted;
  EXPECT_THROW(NotImplementedError, "Unlisted cannot be called: its class has no CHAINER_MEMBERS(Unlisted, members...)",
               base.call(Variables{ones({1, 2})}));
}

TEST(members_that_are_not_listed_are_found) {
  Forgetful link;
  const std::vector<std::string> lines = left_out_members(link);
  EXPECT_EQ(lines.size(), 2u);
  EXPECT(lines[0].find("a Linear inside /, a ") == 0);
  EXPECT(lines[1].find("a Parameter inside /") == 0);
  const int64_t warnings = warning_count();
  optimizers::SGD optimizer;
  optimizer.setup(link);
  EXPECT_EQ(warning_count(), warnings + 2);
  const DebugMode debug(true);
  EXPECT_THROW(RuntimeError, "is not in its CHAINER_MEMBERS: it is neither trained nor saved", optimizer.setup(link));
  EXPECT_THROW(RuntimeError, "CHAINER_MEMBERS", saved(link));
  Numbers whole;
  Sharing sharing;
  Tied tied;
  Deep deep;
  for (const Link* l : std::initializer_list<const Link*>{&whole, &sharing, &tied, &deep})
    EXPECT_EQ(left_out_members(*l).size(), 0u);
  const auto chain = Sequential(L::Linear(2, 2), F::relu, L::Classifier(L::Linear(2, 2)));
  for (const std::string& line : left_out_members(chain)) EXPECT_EQ(line, "");
  L::Linear integers(8, 4);
  integers.quantize();
  EXPECT_EQ(left_out_members(integers).size(), 0u);
}

TEST(errors_inside_links_name_the_path) {
  Deep net;
  EXPECT_THROW(InvalidType, "\n  in /blocks/1/a of Deep", net(ones({1, 4})));
  auto model = L::Classifier(Deep());
  EXPECT_THROW(InvalidType, "in /predictor/blocks/1/a of Classifier", model(ones({1, 4}), zeros({1}, int32)));
  Three three;
  EXPECT_THROW(TypeError, "forward of Three takes 3 variables, not 2", three.call(Variables{ones({1}), ones({1})}));
}

TEST(links_nested_too_deep_are_not_copied) {
  const auto nested = [](int levels) {
    auto inner = std::make_shared<Sequential>(L::Linear(2, 2));
    for (int i = 1; i < levels; ++i) {
      auto outer = std::make_shared<Sequential>();
      outer->append(Layer(inner));
      inner = outer;
    }
    return inner;
  };
  EXPECT_EQ(nested(500)->copy().params().size(), std::size_t(2));
  const auto deep = nested(3000);
  EXPECT_THROW(RuntimeError, "nested more than 2000 deep", deep->copy());
  EXPECT_EQ(nested(3)->copy().params().size(), std::size_t(2));  // the failed copy has no effect on later ones
}
