// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "chainer/array/recording/replays.h"
#include "chainer/array/version.h"
#include "chainer/array/host_kernels/constant_weights_scope.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/onnx/onnx.h"
#include "chainer/onnx/program.h"

namespace chainer::onnx {
namespace {

// A child with the parameters below one part of their paths.
struct Part : Chain {
  CHAINER_MEMBERS(Part);
};

bool taken(Link& l, const std::string& name) {
  struct Finder : MemberVisitor {
    explicit Finder(const std::string& n) : wanted(n) {}
    void param(const std::string& n, Parameter&) override { found |= n == wanted; }
    void link(const std::string& n, Link&) override { found |= n == wanted; }
    void persistent(const std::string& n, Array&) override { found |= n == wanted; }
    const std::string& wanted;
    bool found = false;
  } finder(name);
  l.visit(finder);
  return finder.found;
}

Link* child_of(Chain& parent, const std::string& name) {
  struct Finder : MemberVisitor {
    explicit Finder(const std::string& n) : wanted(n) {}
    void link(const std::string& n, Link& l) override {
      if (n == wanted) found = &l;
    }
    const std::string& wanted;
    Link* found = nullptr;
  } finder(name);
  parent.visit(finder);
  return finder.found;
}

// Returns the link for a path's last part, created if necessary, and this part. If the path cannot be created (an empty
// part, a name in use), returns the root and the whole name with underscores.
constexpr std::size_t kDeepest = 64;
std::pair<Chain*, std::string> place(Chain& root, const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() > 1 && parts[0].empty()) parts.erase(parts.begin());
  bool possible = parts.size() <= kDeepest;
  for (const std::string& p : parts) possible &= !p.empty();
  Chain* at = &root;
  for (std::size_t i = 0; possible && i + 1 < parts.size(); ++i) {
    if (auto* next = dynamic_cast<Chain*>(child_of(*at, parts[i]))) {
      at = next;
    } else if (taken(*at, parts[i])) {
      possible = false;
    } else {
      auto made = std::make_shared<Part>();
      at->add_link(parts[i], made);
      at = made.get();
    }
  }
  if (possible && !taken(*at, parts.back())) return {at, parts.back()};
  std::string flat;
  for (const char c : path) flat += c == '/' ? '_' : c;
  if (flat.empty()) flat = "unnamed";
  while (taken(root, flat)) flat += '_';
  return {&root, flat};
}

// Collects the parameters and persistent values of a model by path.
struct Collector : MemberVisitor {
  void param(const std::string& n, Parameter& p) override { params.emplace(prefix + n, p); }
  void persistent(const std::string& n, Array& a) override { arrays.emplace(prefix + n, &a); }
  void link(const std::string& n, Link& l) override {
    const std::string outer = std::exchange(prefix, prefix + n + "/");
    l.visit(*this);
    prefix = outer;
  }
  std::string prefix;
  std::map<std::string, Parameter> params;
  std::map<std::string, Array*> arrays;
};

// Runs the plan. Copies outputs that are constants of the plan, or views of them, since the caller may modify them.
Variables run_folded(const Program& program, const Plan& plan, const Variables& in) {
  Variables out = program.run(plan, {}, in);
  for (Variable& y : out) {
    const ArrayBody& owner = y.array().body().owner();
    const bool shared = std::any_of(plan.values.begin(), plan.values.end(),
                                    [&](const Variable& v) { return v && &v.array().body().owner() == &owner; });
    if (shared) y = Variable(y.array().copy(), false);
  }
  return out;
}

// Runs the plan. From the second call with the same input shapes on, recorded operations on arrays are replayed.
Variables replayed(const Program& program, const Plan& plan, recording::Replays& replays, const Variables& in) {
  Arrays inputs;
  for (const Variable& x : in) inputs.push_back(x ? x.array() : Array());
  const auto run = [&](const Arrays& arrays) {
    Variables x;
    for (const Array& a : arrays) x.push_back(a ? Variable(a, false) : Variable());
    Arrays out;
    for (const Variable& y : run_folded(program, plan, x)) out.push_back(y.array());
    return out;
  };
  Variables out;
  for (Array& a : replays(run, inputs)) out.push_back(Variable(std::move(a), false));
  return out;
}

}  // namespace

// Data derived from a model. Copies of a model do not share it.
struct Model::Cache {
  struct Source {
    Parameter parameter;
    const Array* persistent = nullptr;
  };
  std::mutex mutex;
  std::vector<Source> sources;  // the sources of the program's leaves
  struct Folded {
    Plan plan;
    recording::Replays replays[2];  // without and with config().winograd, which is fixed in recorded calls
  };
  std::shared_ptr<Folded> folded;  // shared, since running calls may use it after it is replaced
  struct Weight {
    Array array;
    uint64_t state;  // memory_state() of its memory
  };
  std::vector<Weight> folded_from;  // the weights from which `folded` was computed

  bool is_folded_from(const Variables& leaves) const {
    return std::equal(
        leaves.begin(), leaves.end(), folded_from.begin(), folded_from.end(),
        [](const Variable& v, const Weight& w) { return v.array().is(w.array) && memory_state(w.array) == w.state; });
  }
};

namespace {
// Returns true if other owners may write to the memory, which memory_state() does not detect.
bool is_shared(const Variable& v) { return v.array().body().owner().marked(ArrayBody::kShared); }
}  // namespace

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::Model(const Model& o) : Chain(o), program_(o.program_), cache_(std::make_unique<Cache>()) {}

Model::Model(std::shared_ptr<const Program> program)
    : program_(std::move(program)), cache_(std::make_unique<Cache>()) {}

Model Model::from_bytes(std::string_view bytes, const std::filesystem::path& folder, std::string_view name) {
  ModelFile file = read_model(bytes, folder, name);
  std::vector<std::pair<Leaf, Array>> weights;
  auto program = std::make_shared<Program>(std::move(file), name, weights);
  Model model(std::shared_ptr<const Program>{});
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto& [leaf, value] = weights[i];
    const auto [link, last] = place(model, leaf.path);
    if (leaf.persistent)
      link->add_persistent(last, std::move(value));
    else
      link->add_param(last, {}, InitializerArg(std::move(value)));
    if (link == &model)
      program->leaves[i].path = last;
    else if (leaf.path[0] == '/')
      program->leaves[i].path = leaf.path.substr(1);
  }
  model.program_ = std::move(program);
  return model;
}

Model::Model(const std::filesystem::path& file)
    : Model(from_bytes(MappedFile(file).bytes(), file.has_parent_path() ? file.parent_path() : ".", file.string())) {}

void Model::visit(MemberVisitor& v) { visit_added(v); }

void Model::refresh() {
  if (!cache_) return;
  const std::lock_guard lock(cache_->mutex);
  cache_->folded.reset();
  cache_->folded_from.clear();
}

Variables Model::forward(const Variables& in) {
  Variables leaves;
  std::shared_ptr<Cache::Folded> folded;
  bool fixed = !config().train && !config().enable_backprop;
  {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->sources.size() != program_->leaves.size()) {
      Collector found;
      visit_added(found);
      for (const Leaf& leaf : program_->leaves) {
        Cache::Source s;
        if (leaf.persistent)
          s.persistent = found.arrays.at(leaf.path);
        else
          s.parameter = found.params.at(leaf.path);
        cache_->sources.push_back(std::move(s));
      }
    }
    for (const Cache::Source& s : cache_->sources)
      leaves.push_back(s.persistent ? Variable(*s.persistent, false) : s.parameter.variable());
    fixed = fixed && std::none_of(leaves.begin(), leaves.end(), is_shared);
    if (!fixed || !cache_->is_folded_from(leaves)) cache_->folded.reset();
    if (fixed && !cache_->folded) {
      cache_->folded_from.clear();
      for (const Variable& v : leaves) cache_->folded_from.push_back({v.array(), memory_state(v.array())});
      cache_->folded = std::make_shared<Cache::Folded>();
      cache_->folded->plan = program_->folded(leaves);
    }
    folded = cache_->folded;
  }
  std::optional<ConstantWeightsScope> stay;
  if (folded) stay.emplace();
  if (folded && !ModelRecorder::current && function_hook_count == 0 && !config().debug)
    return replayed(*program_, folded->plan, folded->replays[config().winograd], in);
  Variables out = folded ? run_folded(*program_, folded->plan, in) : program_->run(program_->plan, leaves, in);
  if (ModelRecorder* const recorder = ModelRecorder::current) [[unlikely]] {
    // Gives outputs nodes of their own, so that functions of them are recorded and inputs passed through are results.
    for (Variable& y : out) y = Variable(y.array(), true);
    recorder->record_model(program_, in, leaves, out);
  }
  return out;
}

Model Model::copy(CopyMode mode) const { return detail::copy_link<detail::Types<>>(*this, mode); }
std::shared_ptr<Link> Model::clone(CopyMode mode) const { return std::make_shared<Model>(copy(mode)); }
Variables Model::call(const Variables& x) { return (*this)(x); }
std::size_t Model::object_size() const { return sizeof(Model); }

Variables Model::call(const NamedVariables& named) {
  Variables in;
  for (const TensorInfo& t : program_->inputs) {
    const auto it = named.find(t.name);
    if (it == named.end()) throw KeyError("onnx: no variable named '", t.name, "' for the input of the model");
    in.push_back(it->second);
  }
  return call(in);
}

std::size_t Model::operator_count(bool simplified) {
  if (!simplified) return program_->plan.steps.size();
  const std::lock_guard lock(cache_->mutex);
  return cache_->folded ? cache_->folded->plan.steps.size() : program_->plan.steps.size();
}

std::string Model::refused_replay() const {
  const std::lock_guard lock(cache_->mutex);
  if (!cache_->folded) return {};
  const std::string why = cache_->folded->replays[0].refused();
  return why.empty() ? cache_->folded->replays[1].refused() : why;
}

const std::vector<TensorInfo>& Model::inputs() const { return program_->inputs; }
const std::vector<TensorInfo>& Model::outputs() const { return program_->outputs; }
int64_t Model::opset() const { return program_->opset; }
const std::string& Model::producer() const { return program_->producer; }
const std::vector<std::pair<std::string, std::string>>& Model::metadata() const { return program_->metadata; }

}  // namespace chainer::onnx
