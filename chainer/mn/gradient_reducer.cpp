// SPDX-License-Identifier: MIT
#include "chainer/mn/gradient_reducer.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <set>
#include <tuple>

#include "chainer/array/backend.h"
#include "chainer/mn/mean_thread.h"
#include "chainer/mn/parameter_state.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::mn {
namespace {

// Returns the device of all parameters; the host if there are several.
Device device_of(const Link& model) {
  std::optional<Device> out;
  for (const Parameter& p : model.params(false)) {
    if (out && *out != p.array().device()) return {};
    out = p.array().device();
  }
  return out.value_or(Device());
}

}  // namespace

GradientReducer::GradientReducer(CommunicatorBase& comm, Link& model, const GradientReducerOptions& o)
    : comm_(comm), model_(model), options_(o), thread_(std::make_unique<MeanThread>()) {
  if (o.bucket_bytes < 0) throw ValueError("GradientReducer: bucket_bytes must be 0 or more, not ", o.bucket_bytes);
  if (comm.one_by_one()) options_.bucket_bytes = 0;
}

// If an exception ends this rank, pending reductions may wait for other ranks forever. They are leaked rather than
// awaited, so that the exception reaches the code that ends all ranks.
GradientReducer::~GradientReducer() {
  if (!thread_->busy()) return;
  if (std::uncaught_exceptions() == 0) {
    try {
      thread_->drain();
    } catch (const std::exception& e) { warn(text("GradientReducer: a pending mean of gradients failed: ", e.what())); }
    return;
  }
  static auto* const left =
      new std::vector<std::tuple<std::vector<Buckets>, std::unique_ptr<MeanChannel>, std::unique_ptr<MeanThread>>>;
  left->emplace_back(std::move(sets_), std::move(channel_), std::move(thread_));
}

void GradientReducer::drain() { thread_->drain(); }

bool GradientReducer::prepare() {
  began_ = false;
  if (!sets_.empty()) {
    begin_step();
    return true;
  }
  return synchronize_parameters(comm_, model_);
}

bool GradientReducer::fits(const Link& model) const {
  if (&model != &model_ || sets_.empty()) return false;
  std::size_t found = 0;
  for (const Parameter& p : model.params(false)) found += ids_.count(p.id());
  return found == slots_.size();
}

bool GradientReducer::agree() {
  if (!options_.synchronizes_values)
    initialize_parameters(comm_, model_);
  else if (!synchronize_parameters(comm_, model_))
    return false;
  // Gradients that any rank has, or had in an earlier step.
  ObjectList mine;
  const auto params = model_.namedparams(false);
  for (const auto& [path, p] : params)
    if (p.grad() || ids_.count(p.id())) mine.emplace_back(path);
  std::set<std::string> wanted;
  for (const Object& list : comm_.allgather_obj(Object(std::move(mine))))
    for (const Object& path : list.to_list()) wanted.insert(path.to_text());
  ObjectList order;
  for (auto it = params.rbegin(); it != params.rend(); ++it)
    if (wanted.count(it->first)) order.emplace_back(it->first);
  lay_out(order);
  return true;
}

void GradientReducer::lay_out(const ObjectList& order) {
  if (!channel_) channel_ = comm_.make_mean_channel({options_.compression, options_.error_feedback, device_of(model_)});
  slots_.clear();
  by_node_.clear();
  ids_.clear();
  sets_.clear();
  pending_ = false;
  std::map<std::string, Parameter> params;
  for (auto& [path, p] : model_.namedparams(false)) params.emplace(path, p);
  struct Plan {
    Dtype dtype;
    int64_t count = 0;
    std::vector<std::size_t> slots;
    bool full = false;
  };
  std::vector<Plan> plans;
  for (const Object& o : order) {
    const Parameter& p = params.at(o.to_text());
    const int64_t bytes = p.array().nbytes();
    auto plan =
        std::find_if(plans.begin(), plans.end(), [&](const Plan& b) { return !b.full && b.dtype == p.dtype(); });
    if (plan != plans.end() && plan->count * item_size(plan->dtype) + bytes > options_.bucket_bytes) {
      plan->full = true;
      plan = plans.end();
    }
    if (plan == plans.end()) plan = plans.insert(plan, Plan{p.dtype(), 0, {}, false});
    plan->slots.push_back(slots_.size());
    by_node_[p.variable().node().get()] = slots_.size();
    ids_.insert(p.id());
    slots_.push_back({o.to_text(), p, static_cast<std::size_t>(plan - plans.begin()), plan->count, {}, false});
    plan->count += (p.size() + 15) / 16 * 16;  // aligns each slot to 16 elements
  }
  if (plans.empty()) plans.push_back({float32, 0, {}, false});
  for (std::size_t set = 0; set < (options_.double_buffering ? 2u : 1u); ++set) {
    Buckets& buckets = sets_.emplace_back();
    for (const Plan& plan : plans) {
      const bool last = &plan == &plans.back();
      Bucket& b = buckets.emplace_back();
      b.buffer = channel_->make(plan.count + (last ? 1 : 0), plan.dtype);
      b.buffer->array().fill(0);
      b.slots = plan.slots;
      if (last) b.flag_at = plan.count;
    }
  }
  turn_ = 0;
  restore();
  begin_step();
}

void GradientReducer::begin_step() {
  for (Slot& s : slots_) s.packed = Array(), s.ready = false;
  for (Bucket& b : current()) b.waits_for = b.slots.size();
  submitted_ = 0;
  began_ = true;
}

Array GradientReducer::view(const Bucket& b, const Slot& s) const {
  return b.buffer->array()[Slice(s.offset, s.offset + s.param.size())].reshape(s.param.shape());
}

void GradientReducer::pack(std::size_t i) {
  Slot& s = slots_[i];
  Bucket& b = current()[s.bucket];
  Array to = view(b, s);
  s.packed = s.param.grad();
  if (!s.packed)
    to.fill(0);
  else if (s.packed.raw() != to.raw() || !s.packed.is_contiguous())  // otherwise it was accumulated in place
    copy_elements(s.packed, to);
  s.ready = true;
  --b.waits_for;
}

// Submits full buckets in their order, which is the same on all ranks. The last one is submitted by reduce(), which
// sets its flag.
void GradientReducer::submit_full(bool all) {
  Buckets& buckets = current();
  for (; submitted_ < buckets.size() - (all ? 0 : 1) && buckets[submitted_].waits_for == 0; ++submitted_)
    thread_->submit(*buckets[submitted_].buffer);
}

void GradientReducer::gradient_ready(VariableNode& leaf) {
  if (!began_ || !overlap_ || options_.double_buffering) return;
  const auto it = by_node_.find(&leaf);
  if (it == by_node_.end()) return;
  const Slot& s = slots_[it->second];
  if (s.ready || s.param.variable().node_pointer() != &leaf) return;
  pack(it->second);
  submit_full(false);
}

bool GradientReducer::reduce() {
  if (sets_.empty() && !agree()) return false;
  if (!began_) begin_step();
  // With double buffering: the means of the last step.
  std::vector<Array> means;
  bool have_means = false, changed = false;
  const auto flag = [](const Buckets& buckets) {
    const Bucket& last = buckets.back();
    return last.buffer->array()[last.flag_at].item<double>() > 0;
  };
  const auto views = [&](const Buckets& buckets) {
    means.clear();
    for (const Slot& s : slots_) means.push_back(view(buckets[s.bucket], s));
  };
  std::vector<Parameter> targets;
  if (options_.double_buffering) {
    thread_->drain();
    if (pending_) {
      const Buckets& last = sets_[1 - turn_];
      views(last);
      for (const Slot& s : slots_) targets.push_back(s.param);
      have_means = true;
      changed = flag(last);
    }
    if (changed && !agree()) return false;
  }
  for (bool again = true; again;) {
    again = false;
    bool late = false, without_slot = false;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& s = slots_[i];
      if (s.ready && !s.packed.is(s.param.grad())) late = true;  // the gradient changed after it was packed
      if (!s.ready) pack(i);
    }
    for (const Parameter& p : model_.params(false)) without_slot |= p.grad() && !ids_.count(p.id());
    if (late) overlap_ = false;
    const Bucket& last = current().back();
    last.buffer->array().set(last.flag_at, late || without_slot ? 1.0 : 0.0);
    submit_full(true);
    if (options_.double_buffering) break;
    thread_->drain();
    if (!flag(current())) break;
    if (!agree()) return false;
    again = true;
  }
  began_ = false;
  if (!options_.double_buffering) {
    views(current());
    for (std::size_t i = 0; i < slots_.size(); ++i)
      slots_[i].param.set_grad(means[i].to_device(slots_[i].param.array().device()));
  } else {
    for (const Slot& s : slots_) Parameter(s.param).cleargrad();
    for (std::size_t i = 0; i < targets.size(); ++i)
      targets[i].set_grad(means[i].to_device(targets[i].array().device()));
    turn_ = 1 - turn_;
    pending_ = true;
  }
  for (Slot& s : slots_) s.packed = Array();
  return !options_.double_buffering || have_means;
}

namespace {
int64_t hash_of(const std::vector<std::string>& paths) {
  uint64_t h = 1469598103934665603u;
  for (const std::string& p : paths)
    for (const char c : p + "\n") h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<int64_t>(h >> 1);
}
}  // namespace

int64_t GradientReducer::layout_hash() const {
  std::vector<std::string> paths;
  for (const Slot& s : slots_) paths.push_back(text(s.path, " ", s.bucket, " ", s.offset));
  return hash_of(paths);
}

void GradientReducer::serialize(Serializer& s) {
  const bool wanted = options_.double_buffering || options_.error_feedback;
  if (!wanted) return;
  thread_->drain();
  if (s.is_loading()) {
    loaded_.clear();
    if (!s.contains("buckets")) return;
    int64_t count = 0;
    s.count("buckets", count);
    if (count > (int64_t(1) << 20)) throw ValueError("'buckets': the stored number ", count, " is too large");
    s.integer("layout", loaded_layout_);
    s("pending", loaded_pending_);
    for (int64_t i = 0; i < count; ++i)
      for (const std::string& key : {text("mean_", i), text("residual_", i, "_0"), text("residual_", i, "_1")}) {
        if (!s.contains(key)) continue;
        Array a;
        s.array(key, a);
        loaded_[key] = a;
      }
    if (!sets_.empty()) restore();
    return;
  }
  auto count = static_cast<int64_t>(sets_.empty() ? 0 : sets_[0].size());
  int64_t layout = layout_hash();
  s("buckets", count);
  s.integer("layout", layout);
  s("pending", pending_);
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Array mean = pending_ ? sets_[1 - turn_][at].buffer->array().copy() : Array();
    if (mean) s.array("mean_" + std::to_string(i), mean);
    // The sets alternate; the set of the next step comes first.
    for (std::size_t k = 0; k < sets_.size(); ++k)
      if (Array residual = sets_[(turn_ + k) % sets_.size()][at].buffer->residual())
        s.array(text("residual_", i, "_", k), residual);
  }
}

// Copies the loaded state into the buckets, if their layout is the same.
void GradientReducer::restore() {
  if (loaded_.empty() && !loaded_pending_) return;
  if (layout_hash() != loaded_layout_) {
    warn("create_multi_node_optimizer: the saved means and error feedback belong to other parameters and are ignored");
  } else {
    for (std::size_t i = 0; i < sets_[0].size(); ++i) {
      const auto mean = loaded_.find(text("mean_", i));
      if (mean != loaded_.end() && sets_.size() > 1) {
        Array& to = sets_[1 - turn_][i].buffer->array();
        if (mean->second.shape() == to.shape()) copy_elements(mean->second.astype(to.dtype()), to);
      }
      for (std::size_t k = 0; k < sets_.size(); ++k)
        if (const auto it = loaded_.find(text("residual_", i, "_", k)); it != loaded_.end())
          sets_[(turn_ + k) % sets_.size()][i].buffer->set_residual(it->second);
    }
    pending_ = loaded_pending_ && sets_.size() > 1;
  }
  loaded_.clear();
  loaded_pending_ = false;
}

}  // namespace chainer::mn
