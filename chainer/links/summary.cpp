// SPDX-License-Identifier: MIT
#include "chainer/links/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "chainer/autograd/config.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/links/link_hook.h"
#include "chainer/routines/random.h"

namespace chainer {
namespace {

int64_t elements_of(const Shape& s) {
  int64_t n = 1;
  for (const int64_t d : s) n *= d;
  return n;
}

// The number of multiplications of a function with these shapes of inputs and of its first result.
int64_t multiplications(const std::string& function, const std::vector<Shape>& in, const Shape& out) {
  const auto starts = [&](const char* with) { return function.starts_with(with); };
  const int64_t made = elements_of(out);
  if (made == 0 || in.size() < 2) return 0;
  const int64_t weights = elements_of(in[1]);
  if (starts("LinearFunction")) return made * in[1][1];
  if (starts("Convolution")) return made * (weights / in[1][0]);
  if (starts("Deconvolution")) return elements_of(in[0]) * (weights / in[1][0]);
  if (starts("MatMul") && out.ndim() >= 2 && in[0].ndim() >= 2 && in[0].ndim() == in[1].ndim()) {
    // For (m, k) and (k, n), maybe transposed: (m k) (k n) / (m n) = k^2.
    const int64_t batch = made / (out[out.ndim() - 1] * out[out.ndim() - 2]);
    const double k2 = static_cast<double>(elements_of(in[0])) * static_cast<double>(weights) /
                      (static_cast<double>(made) * static_cast<double>(batch));
    return made * std::llround(std::sqrt(k2));
  }
  if (starts("NStep")) {  // inputs: packed rows, first states, the matrices of all gates, their biases
    int64_t matrices = 0;
    for (std::size_t i = starts("NStepLSTM") ? 3 : 2; i < in.size(); ++i)
      if (in[i].ndim() == 2) matrices += elements_of(in[i]);
    return in[0][0] * matrices;
  }
  return 0;
}

struct SummaryCall {
  Ref<FunctionNode> node;  // kept, so that the nodes of its inputs stay alive
  std::string path;        // of the innermost link that runs
  std::vector<Shape> inputs;
};

class SummaryWatch : public LinkHook, public FunctionHook {
 public:
  explicit SummaryWatch(const Link& model) {
    for (const auto& [path, link] : model.namedlinks()) paths_.try_emplace(link, path);
  }
  std::string name() const override { return "summary"; }
  void added(Link*) override {}
  void added(FunctionNode*) override {}
  void deleted(Link*) override {}
  void deleted(FunctionNode*) override {}
  void forward_preprocess(const LinkHookArgs& a) override {
    const auto it = paths_.find(&a.link);
    running_.push_back(it == paths_.end() ? running_.back() : it->second);
    if (it != paths_.end()) begun(it->second).calls++;
  }
  void forward_postprocess(const LinkHookArgs& a) override {
    if (paths_.contains(&a.link)) {
      SummaryRow& row = begun(running_.back());
      row.outputs.clear();
      for (const Variable& y : a.out)
        if (y) row.outputs.push_back(y.shape());
    }
    running_.pop_back();
  }
  void forward_aborted(const LinkHookArgs&) noexcept override { running_.pop_back(); }
  void forward_preprocess(FunctionNode&, const Arrays&) override {}
  void forward_postprocess(FunctionNode& f, const Arrays& in) override {
    SummaryCall call{Ref<FunctionNode>(&f), running_.back(), {}};
    for (const Array& a : in) call.inputs.push_back(a ? a.shape() : Shape());
    calls_.push_back(std::move(call));
  }

  SummaryRow& begun(const std::string& path) {
    const auto [it, fresh] = at_.try_emplace(path, rows_.size());
    if (fresh) rows_.emplace_back().path = path;
    return rows_[it->second];
  }
  const std::vector<SummaryCall>& calls() const { return calls_; }
  bool has(const std::string& path) const { return at_.contains(path); }
  std::vector<SummaryRow> take() { return std::move(rows_); }

 private:
  std::map<const Link*, std::string> paths_;
  std::vector<std::string> running_ = {"/"};
  std::vector<SummaryCall> calls_;
  std::map<std::string, std::size_t> at_;
  std::vector<SummaryRow> rows_;
};

// The parameter that an input comes from, directly or through functions of one input such as reshape.
const VariableNode* leaf_of(const VariableNode* n) {
  while (const FunctionNode* f = n->creator()) {
    if (f->inputs().size() != 1) return nullptr;
    n = f->inputs()[0].get();
  }
  return n;
}

// The link that owns the function's parameters if it is not called itself; else the link that runs.
std::string owner_of(const SummaryCall& c, const SummaryWatch& watch,
                     const std::map<const VariableNode*, std::string>& owners) {
  for (const auto& x : c.node->inputs())
    if (const VariableNode* leaf = leaf_of(x.get()))
      if (const auto it = owners.find(leaf); it != owners.end() && !watch.has(it->second)) return it->second;
  return c.path;
}

void add_costs(const Link& model, SummaryWatch& watch) {
  std::map<const VariableNode*, std::string> owners;
  for (const auto& [path, p] : model.namedparams(false)) {
    const std::size_t end = path.rfind('/');
    if (const VariableNode* n = p.variable().node_pointer()) owners.emplace(n, end ? path.substr(0, end) : "/");
  }
  // All owners are determined before rows are added: a new row must not make its link count as called.
  std::vector<std::string> by_call;
  for (const SummaryCall& c : watch.calls()) by_call.push_back(owner_of(c, watch, owners));
  for (std::size_t i = 0; i < by_call.size(); ++i) {
    const SummaryCall& c = watch.calls()[i];
    SummaryRow& row = watch.begun(by_call[i]);
    const bool called = by_call[i] == c.path;
    if (!called) row.type = c.node->label(), row.outputs.clear();
    bool first = true;
    for (const VariableNode* y : c.node->outputs()) {
      if (!y) continue;
      row.activation_bytes += elements_of(y->shape()) * item_size(y->dtype());
      if (std::exchange(first, false)) row.multiply_adds += multiplications(c.node->label(), c.inputs, y->shape());
      if (!called) row.outputs.push_back(y->shape());
    }
    if (!called) ++row.calls;
  }
}

void add_parameters(const Link& original, const Link& model, SummaryWatch& watch, std::vector<SummaryRow>& rows) {
  std::set<std::string> frozen;  // the copy has no update rules
  for (const auto& [path, p] : original.namedparams())
    if (p.update_rule() && !p.update_rule()->enabled) frozen.insert(path);
  const auto links = model.namedlinks();
  for (const auto& [path, link] : links) (void)watch.begun(path);
  rows = watch.take();
  std::map<std::string, const Link*> by_path(links.begin(), links.end());
  std::set<const void*> met;
  for (SummaryRow& row : rows) {
    const Link& link = *by_path.at(row.path);
    if (row.type.empty()) row.type = link.class_name();
    for (const auto& [name, p] : link.namedparams(false)) {
      if (name.rfind('/') != 0) continue;  // belongs to a child
      const int64_t n = p.size();
      if (!met.insert(p.id()).second) {
        row.shared += n;
        continue;
      }
      row.parameters += n;
      if (frozen.contains(row.path == "/" ? name : row.path + name)) row.frozen += n;
    }
  }
}

struct KeepRandomNumbers {
  random::State state = random::state();
  KeepRandomNumbers() = default;
  KeepRandomNumbers(const KeepRandomNumbers&) = delete;
  KeepRandomNumbers& operator=(const KeepRandomNumbers&) = delete;
  ~KeepRandomNumbers() { random::set_state(state); }
};

}  // namespace

ModelSummary summary(const Link& model, const Variables& inputs) {
  const KeepRandomNumbers keep;
  std::shared_ptr<Link> copy;
  try {
    copy = model.clone(CopyMode::share);
  } catch (const TypeError&) {  // the model has a std::unique_ptr
  }
  Link& run = copy ? *copy : const_cast<Link&>(model);
  SummaryWatch watch(run);
  {
    const UsingConfig test_mode(&Config::train, false), graph(&Config::enable_backprop, true);
    const LinkHookScope links(watch);
    const FunctionHookScope functions(watch);
    (void)watch.begun("/");
    const Variables outputs = run.call(inputs);
    add_costs(run, watch);
    SummaryRow& whole = watch.begun("/");
    if (whole.outputs.empty())
      for (const Variable& y : outputs) whole.outputs.push_back(y.shape());
  }
  ModelSummary out;
  add_parameters(model, run, watch, out.rows);
  for (const SummaryRow& r : out.rows) {
    out.parameters += r.parameters, out.frozen += r.frozen;
    out.multiply_adds += r.multiply_adds, out.activation_bytes += r.activation_bytes;
  }
  return out;
}

}  // namespace chainer
