// SPDX-License-Identifier: MIT
#include "chainer/array/recording/recorder.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "chainer/array/backend.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/array/order.h"
#include "chainer/core/system/fork.h"

namespace chainer::recording {
namespace {

constinit thread_local Recorder* here_ = nullptr;

// The low half of ArrayBody::recorded: a slot's number plus one, or one of these.
constexpr uint32_t kFresh = 0, kOfHost = UINT32_MAX;
uint64_t tag(uint32_t recording, uint32_t what) { return uint64_t(recording) << 32 | what; }

// The number of live arrays of each recording, without those that were handed out; the tags of the latter.
struct Counts {
  ForkSafe<std::mutex> mutex{kForkLeaf};
  std::unordered_map<uint32_t, int64_t> alive;
  std::unordered_set<uint64_t> handed_out;
  uint32_t last = 0;
};
Counts& counts() {
  static auto* only = new Counts;
  return *only;
}
[[maybe_unused]] const Counts& counts_made_early = counts();

char* first_element(const ArrayBody& b) { return b.data; }

// Returns the memory of an array without gaps as bytes.
Array bytes_of(ArrayBody& b) {
  const int64_t n = b.size * item_size(b.dtype);
  Ref<ArrayBody> bytes = make_ref<ArrayBody>(Shape{n}, uint8, b.device, n);
  bytes->base = Ref<ArrayBody>(&b.owner());
  bytes->data = b.data;
  return Array(std::move(bytes));
}

// Set by the first recorder, so that programs that do not record are linked without this code.
using RecordStep = void(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure);
constinit std::atomic<RecordStep*> step_of_recorder{nullptr};

}  // namespace

Backend& active_backend(Backend& real) {
  if (!here_ || !here_->active()) return real;
  if (&real == &here_->real_) return *here_;
  if (&real == kHostBackend && here_->numbers_) return *here_->numbers_;
  here_->refuse("an array is on another device");
  return real;
}
void host_reads(const ArrayBody& body) {
  if (here_ && here_->active()) here_->host_reads(body);
}
void host_writes(ArrayBody& body) {
  if (here_ && here_->active()) here_->host_writes(body);
}
void made(ArrayBody& body) {
  if (here_ && here_->active()) here_->made(body);
}
void refuse(std::string_view why) {
  if (here_ && here_->active()) here_->refuse(why);
}
void gone(const ArrayBody& body) {
  const std::lock_guard lock(counts().mutex);
  if (counts().handed_out.erase(body.recorded)) return;
  const auto it = counts().alive.find(static_cast<uint32_t>(body.recorded >> 32));
  if (it != counts().alive.end()) --it->second;
}
Recorder* Computing::pause(const ArrayBody& body) {
  if (!here_ || body.recorded >> 32 == here_->number_) return nullptr;
  ++here_->depth_;
  return here_;
}
void Computing::go_on() { --paused_->depth_; }
bool here() { return here_ && here_->active(); }
void record_step(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure) {
  step_of_recorder.load(std::memory_order_acquire)(name, in, out, std::move(f), pure);
}

Recorder::Recorder(Tape& tape, Device device)
    : real_(device.backend()), device_(device), on_host_(device.is_host()), tape_(tape), number_([] {
        const std::lock_guard lock(counts().mutex);
        const uint32_t n = ++counts().last;
        counts().alive[n] = 0;
        return n;
      }()) {
  tape.device = device;
  if (!on_host_) numbers_.reset(new Recorder(*this, OfHost{}));
  step_of_recorder.store([](const char* name, std::span<const Array> in, std::span<Array> out, HostStep f,
                            bool pure) { here_->record(name, in, out, std::move(f), pure); },
                         std::memory_order_release);
}

Recorder::Recorder(Recorder& d, OfHost)
    : real_(*kHostBackend), on_host_(true), outer_(&d), tape_(d.tape_), number_(d.number_) {}

Recorder::~Recorder() {
  if (outer_) return;
  const std::lock_guard lock(counts().mutex);
  counts().alive.erase(number_);
}

int64_t Recorder::escaped() const {
  const std::lock_guard lock(counts().mutex);
  return counts().alive.at(number_);
}

Recorder* Recorder::current() { return here_; }

Recorder::Scope::Scope(Recorder& r, Phase& phase) : recorder_(r), outer_(here_) {
  here_ = &r;
  running.fetch_add(1, std::memory_order_relaxed);
  r.phase_ = &phase;
  r.operands_of_.clear();
}
Recorder::Scope::~Scope() {
  recorder_.phase_ = nullptr;
  running.fetch_sub(1, std::memory_order_relaxed);
  here_ = outer_;
}
Recorder::Pause::Pause() : paused_(here_) {
  if (paused_) ++paused_->depth_;
}
Recorder::Pause::~Pause() {
  if (paused_) --paused_->depth_;
}

void Recorder::refuse(std::string_view why) {
  if (outer_) return outer_->refuse(why);
  if (refused_.empty() && !host_read) refused_ = why;
}

void Recorder::host_reads(const ArrayBody& body) {
  const ArrayBody& owner = body.base ? *body.base : body;
  const auto what = static_cast<uint32_t>(owner.recorded);
  if (owner.recorded >> 32 == number_ && what == kOfHost) return;  // numbers written by the host itself
  if (body.size == 0 || stays(owner)) return;
  if (host_read) return host_read(body);
  refuse(text("a loop on the host reads elements of an array of shape ", body.shape));
}

void Recorder::host_writes(ArrayBody& body) {
  ArrayBody& owner = body.owner();
  const auto what = static_cast<uint32_t>(owner.recorded);
  if (owner.recorded >> 32 == number_ && (what == kOfHost || what == kFresh)) {
    if (host_computes)
      new_slot(owner, Slot::Kind::internal);
    else
      owner.recorded = tag(number_, kOfHost);
    return;
  }
  if (body.size == 0) return;
  refuse(text("a loop on the host writes to an array of shape ", body.shape));
}

void Recorder::made(ArrayBody& body) {
  body.recorded = tag(number_, kFresh);
  const std::lock_guard lock(counts().mutex);
  ++counts().alive[number_];
}

bool Recorder::knows(const Array& a) const {
  const ArrayBody& owner = a.body().owner();
  return owner.recorded >> 32 == number_ || bound_.contains(&owner);
}

int Recorder::bind(const Array& a, bool member) {
  force(a.body());
  ArrayBody& owner = a.body().owner();
  // Pending computations that read the array are evaluated now, so that they do not run together with recorded ones.
  // (The operands of a program that is being recorded are still pending.)
  if (!in_program_ && owner.readers.any()) deferred::evaluate_readers(owner);
  const int slot = static_cast<int>(tape_.slots.size());
  Slot s;
  s.kind = Slot::Kind::bound;
  s.phase = phase_ ? phase_->number : static_cast<int>(tape_.phases.size());
  s.member = member;
  s.dtype = a.dtype();
  s.shape = a.shape();
  s.dense = a.is_contiguous();
  if (!s.dense) s.strides = a.strides();
  s.data = first_element(a.body());
  tape_.slots.push_back(std::move(s));
  bound_.insert_or_assign(&owner, Bound{slot, a});
  return slot;
}

int Recorder::new_slot(ArrayBody& owner, Slot::Kind kind) {
  const int slot = static_cast<int>(tape_.slots.size());
  Slot s;
  s.kind = kind;
  s.phase = phase_->number;
  s.dtype = owner.dtype;
  s.shape = owner.shape;
  if (!owner.contiguous) s.order = memory_order(owner.shape, owner.strides);
  s.bytes = owner.size * item_size(owner.dtype);
  s.data = first_element(owner);
  tape_.slots.push_back(std::move(s));
  owner.recorded = tag(number_, static_cast<uint32_t>(slot) + 1);
  return slot;
}

int Recorder::constant(ArrayBody& owner) {
  const int slot = new_slot(owner, Slot::Kind::constant);
  const Pause pause;
  Array copy(Shape{owner.size * item_size(owner.dtype)}, uint8, owner.device);
  if (owner.device.is_host()) {
    if (copy.size()) std::memcpy(copy.mutable_raw(), owner.data, static_cast<std::size_t>(copy.size()));
  } else if (copy.size()) {
    copy_elements(bytes_of(owner), copy);
  }
  tape_.slots.back().constant = copy;
  Step step;
  step.name = "constant";
  step.pure = true;
  step.constant = slot;
  phase_->steps.push_back(std::move(step));  // first, so that operand() below can insert before it
  const std::size_t at = phase_->steps.size() - 1;
  const int whole = operand(owner, false);
  phase_->steps[at].operands = {whole};
  phase_->steps[at].run = [copy](Array* const* x) {
    if (!copy.size()) return;
    if (copy.device().is_host()) {
      std::memcpy(x[0]->mutable_raw(), copy.raw(), static_cast<std::size_t>(copy.size()));
    } else {
      (void)x[0]->mutable_raw();
      Array to = bytes_of(x[0]->body());
      copy_elements(copy, to);
    }
  };
  return slot;
}

int Recorder::slot_of(ArrayBody& b) {
  ArrayBody& owner = b.owner();
  if (owner.recorded >> 32 == number_) {
    const auto what = static_cast<uint32_t>(owner.recorded);
    if (what != kFresh && what != kOfHost) return static_cast<int>(what - 1);
    return -2;
  }
  if (const auto it = bound_.find(&owner); it != bound_.end()) return it->second.slot;
  if (unknown && unknown(Array(Ref<ArrayBody>(&owner))))
    if (const auto it = bound_.find(&owner); it != bound_.end()) return it->second.slot;
  return -1;
}

int Recorder::operand(ArrayBody& b, bool write) {
  ArrayBody& owner = b.owner();
  if (owner.device != device_) {
    refuse(text("a step takes an array of shape ", owner.shape, " on ", owner.device));
    return -1;
  }
  int slot = slot_of(b);
  if (slot == -1) {
    refuse(text("an array of shape ", owner.shape, " and dtype ", owner.dtype, " that was created before the call is ",
                write ? "written to" : "read", ": it is neither an argument nor a parameter or persistent value"));
    return -1;
  }
  if (slot == -2) {
    const bool untouched = static_cast<uint32_t>(owner.recorded) == kFresh;
    if (untouched && !write && owner.size > 0) {
      // It was pending, and was evaluated outside the recording.
      refuse(text("an array of shape ", owner.shape, ", computed outside the recording, is read"));
      return -1;
    }
    slot = untouched && write ? new_slot(owner, Slot::Kind::internal) : constant(owner);
  }
  const auto at = static_cast<std::size_t>(slot);
  if (write) tape_.slots[at].written = true;
  if (tape_.slots[at].phase != phase_->number) {
    if (tape_.slots[at].phase != 0 && tape_.slots[at].kind != Slot::Kind::constant)
      refuse("a second backward pass reads results of the first one");
    tape_.slots[at].saved = true;
    if (write && tape_.slots[at].kind != Slot::Kind::bound)
      refuse("the backward pass writes to an array of the forward pass");
  }
  Operand o;
  o.slot = slot;
  o.offset = first_element(b) - tape_.slots[at].data;
  o.dtype = b.dtype;
  o.shape = b.shape;
  o.contiguous = b.contiguous;
  if (!b.contiguous) o.strides = b.strides;
  std::vector<int>& known = operands_of_[slot];
  for (const int k : known) {
    const Operand& other = phase_->operands[static_cast<std::size_t>(k)];
    if (other.offset == o.offset && other.contiguous == o.contiguous && other.shape == o.shape &&
        (o.contiguous || other.strides == o.strides))
      return k;
  }
  known.push_back(static_cast<int>(phase_->operands.size()));
  phase_->operands.push_back(std::move(o));
  return known.back();
}

bool Recorder::stays(const ArrayBody& owner) const {
  if (outer_) return outer_->stays(owner);
  if (!others_stay || owner.recorded >> 32 == number_) return false;
  const auto it = bound_.find(&owner);
  return it == bound_.end() || tape_.slots[static_cast<std::size_t>(it->second.slot)].member;
}

bool Recorder::is_number(const Array& a, bool written) const {
  constexpr int64_t kMost = 4096;
  const ArrayBody& owner = a.body().owner();
  if (owner.size > kMost) return false;
  const auto what = static_cast<uint32_t>(owner.recorded);
  const bool is_own = owner.recorded >> 32 == number_;
  return (is_own && (what == kOfHost || (written && what == kFresh))) || (!written && stays(owner));
}

bool Recorder::of_numbers(std::span<const Array* const> reads, std::span<Array* const> writes,
                          const std::function<void()>& compute) {
  for (const Array* a : reads)
    if (!is_number(*a, false)) return false;
  for (const Array* a : writes)
    if (!is_number(*a, true)) return false;
  if (writes.empty()) return false;
  {
    const Pause inside;
    compute();
  }
  for (Array* a : writes) a->body().owner().recorded = tag(number_, kOfHost);
  return true;
}

Array Recorder::constant(Scalar value, Dtype dtype, const Device& device) {
  if (on_host_) return real_.constant(value, dtype, device);
  // A device keeps its constants; the recording has its own.
  Array out;
  {
    const Pause pause;
    out = real_.constant(value, dtype, device).copy();
    force(out.body());
  }
  made(out.body());
  out.body().recorded = tag(number_, kOfHost);
  return out;
}

void Recorder::perform(const char* name, std::span<const Array* const> reads, std::span<Array* const> writes, Call call,
                       bool repeats) {
  // Pending operands are evaluated first, as steps of their own.
  for (const Array* a : reads)
    if (a) force(a->body());
  for (Array* a : writes) {
    if (!a) continue;
    force(a->body());
    if (a->body().owner().readers.any()) deferred::evaluate_readers(a->body().owner());
  }
  SmallVector<Array*, 8> now;
  for (const Array* a : reads) now.push_back(const_cast<Array*>(a));
  for (Array* a : writes) now.push_back(a);
  if (repeats && of_numbers(reads, writes, [&] { call(now.begin()); })) return;
  if (outer_) {
    refuse(text(name, " on the host, whose operands are not few numbers"));
    const Pause inside;
    return call(now.begin());
  }
  Step step;
  step.name = name;
  for (std::size_t i = 0; i < now.size() && refused_.empty(); ++i) {
    // Steps have no positions for empty operands.
    if (!now[i]) throw RuntimeError("recording: ", name, " has an empty operand");
    step.operands.push_back(operand(now[i]->body(), i >= reads.size()));
  }
  {
    const Pause inside;
    call(now.begin());
  }
  if (!refused_.empty()) return;
  step.writes = static_cast<int>(writes.size());
  step.pure = repeats;
  step.run = std::move(call);
  phase_->steps.push_back(std::move(step));
}

// (Arrays without written elements are ignored.)
void Recorder::expect_known(const Array& a) {
  force(a.body());
  const ArrayBody& owner = a.body().owner();
  if (owner.recorded == tag(number_, kFresh) && owner.size > 0)
    refuse(text("an array of shape ", owner.shape, ", computed outside the recording, is modified"));
}

void Recorder::record(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure) {
  // A check of numbers of the host, such as lengths of arrays, which are the same in each run.
  if (numbers_ && out.empty() && std::all_of(in.begin(), in.end(), [&](const Array& a) {
        return a.device().is_host() && numbers_->is_number(a, false);
      })) {
    const Pause inside;
    return f(in, out);
  }
  std::vector<const Array*> reads;
  std::vector<Array*> writes;
  for (const Array& a : in) reads.push_back(&a);
  for (Array& a : out) writes.push_back(&a);
  const std::size_t n = in.size(), m = out.size(), before = phase_->steps.size();
  perform(
      name, reads, writes,
      [f = std::move(f), n, m](Array* const* x) {
        Arrays ins, outs;
        for (std::size_t i = 0; i < n; ++i) ins.push_back(*x[i]);
        for (std::size_t i = 0; i < m; ++i) outs.push_back(*x[n + i]);
        f({ins.data(), ins.size()}, {outs.data(), outs.size()});
      },
      pure);
  if (phase_->steps.size() > before) phase_->steps.back().of_host = true;
}

// Marks an array as owned by the caller.
void Recorder::hand_out(const ArrayBody& owner) {
  if (owner.recorded >> 32 != number_) return;
  const std::lock_guard lock(counts().mutex);
  if (counts().handed_out.insert(owner.recorded).second) --counts().alive[number_];
}

void Recorder::finish(const Arrays& results) {
  for (const Array& result : results) {
    force(result.body());
    if (!refused_.empty()) return;
    Array a = result;
    int slot = slot_of(a.body());
    // Memory of the forward pass and constants are returned as copies.
    const bool is_own = slot >= 0 && tape_.slots[static_cast<std::size_t>(slot)].phase == phase_->number &&
                        tape_.slots[static_cast<std::size_t>(slot)].kind != Slot::Kind::constant;
    const bool is_bound = slot >= 0 && tape_.slots[static_cast<std::size_t>(slot)].kind == Slot::Kind::bound;
    if (slot == -1) return refuse("a result is an array that was created before the call");
    if (!is_own && !is_bound) {
      a = empty_in_order(a.shape(), a.dtype(), a.device(), memory_order(a));
      const Array* const from[] = {&result};
      Array* const to[] = {&a};
      perform(
          "copy", from, to, [](Array* const* x) { copy_elements(*x[0], *x[1]); }, false);
      if (!refused_.empty()) return;
    }
    const int k = operand(a.body(), false);
    if (k < 0) return;
    Slot& s = tape_.slots[static_cast<std::size_t>(phase_->operands[static_cast<std::size_t>(k)].slot)];
    if (s.kind == Slot::Kind::internal) s.kind = Slot::Kind::result;
    phase_->results.push_back(k);
    hand_out(result.body().owner());
    hand_out(a.body().owner());
  }
}

}  // namespace chainer::recording
