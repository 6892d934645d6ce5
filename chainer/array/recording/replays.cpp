// SPDX-License-Identifier: MIT
#include "chainer/array/recording/replays.h"

#include <algorithm>
#include <optional>

#include "chainer/array/recording/recorder.h"

namespace chainer::recording {

struct Replays::Recording {
  std::vector<int64_t> layout;
  uint64_t generation = 0;
  Tape tape;
  std::vector<int> slots;  // of the arguments
  std::string refused;
};

Replays::Replays(std::size_t most) : most_(most) {}
Replays::~Replays() = default;

namespace {

// Returns the device of the inputs, or nothing if they are on several.
std::optional<Device> device_of(const Arrays& inputs) {
  std::optional<Device> out;
  for (const Array& a : inputs) {
    if (!a) continue;
    if (out && *out != a.device()) return {};
    out = a.device();
  }
  return out ? out : Device();
}

std::vector<int64_t> layout_of(const Arrays& inputs) {
  std::vector<int64_t> out;
  const Device device = device_of(inputs).value();
  out.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(&device.backend())));
  out.push_back(device.index());
  for (const Array& a : inputs) {
    if (!a) {
      out.push_back(-1);
      continue;
    }
    out.push_back(static_cast<int64_t>(a.dtype()));
    out.push_back(a.ndim());
    for (const int64_t n : a.shape()) out.push_back(n);
  }
  return out;
}

}  // namespace

Arrays Replays::record(const Function& f, const Arrays& inputs, Recording& r) {
  Recorder recorder(r.tape, device_of(inputs).value());
  r.tape.members_stay = true;
  Arrays mine;
  for (const Array& a : inputs) {
    // A copy, which shares no memory with arrays that f reads.
    mine.push_back(a ? a.copy().contiguous() : Array());
    r.slots.push_back(a ? recorder.bind(mine.back(), false) : -1);
  }
  recorder.others_stay = true;
  std::vector<std::pair<int, Array>> frozen;
  recorder.unknown = [&](const Array& a) {
    frozen.emplace_back(recorder.bind(a, true), a);
    return true;
  };
  r.tape.phases.push_back(std::make_unique<Phase>());
  Arrays out;
  {
    const Recorder::Scope scope(recorder, *r.tape.phases[0]);
    out = f(mine);
    for (const Array& a : out)
      if (!a) recorder.refuse("a result is none");
    if (recorder.active()) recorder.finish(out);
  }
  r.refused = recorder.refused();
  for (auto& [slot, array] : frozen) {
    if (r.tape.slots[static_cast<std::size_t>(slot)].written && r.refused.empty())
      r.refused = text("it writes to an array of shape ", array.shape(), " that was created before the call");
    r.tape.bind(slot, array);
  }
  mine = Arrays();
  if (r.refused.empty() && recorder.escaped() > 0)
    r.refused = text(recorder.escaped(), " array(s) that it creates are kept outside of it");
  return out;
}

std::unique_ptr<Replays::Recording> Replays::take(const std::vector<int64_t>& layout, bool& record) {
  const std::lock_guard lock(mutex_);
  record = false;
  if (!refused_.empty()) return nullptr;
  const auto seen = std::find(seen_.begin(), seen_.end(), layout);
  if (seen == seen_.end()) {
    seen_.push_back(layout);
    if (seen_.size() > most_) {
      std::erase_if(idle_, [&](const auto& r) { return r->layout == seen_.front(); });
      seen_.erase(seen_.begin());
    }
    return nullptr;
  }
  std::rotate(seen, seen + 1, seen_.end());
  const auto it = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& r) { return r->layout == layout; });
  std::unique_ptr<Recording> out;
  if (it == idle_.rend()) {
    record = true;
    out = std::make_unique<Recording>();
    out->layout = layout;
    out->generation = generation_;
  } else {
    out = std::move(*it);
    idle_.erase(std::next(it).base());
  }
  return out;
}

void Replays::give_back(std::unique_ptr<Recording> r) {
  const std::lock_guard lock(mutex_);
  if (r->generation != generation_) return;
  if (!r->refused.empty()) {
    refused_ = r->refused;
    idle_.clear();
  } else if (std::find(seen_.begin(), seen_.end(), r->layout) != seen_.end()) {
    idle_.push_back(std::move(r));
  }
}

Arrays Replays::operator()(const Function& f, const Arrays& inputs) {
  bool recording = false;
  std::unique_ptr<Recording> r;
  if (!here() && device_of(inputs)) r = take(layout_of(inputs), recording);
  const auto count = [&](int64_t Counts::*what) {
    const std::lock_guard lock(mutex_);
    ++(counts_.*what);
  };
  if (!r) {
    count(&Counts::run);
    return f(inputs);
  }
  Arrays out;
  if (recording) {
    out = record(f, inputs, *r);
    count(&Counts::recorded);
  } else {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (r->slots[i] >= 0) r->tape.bind(r->slots[i], inputs[i].contiguous());
    out = r->tape.run(*r->tape.phases[0]);
    count(&Counts::replayed);
  }
  give_back(std::move(r));
  return out;
}

void Replays::clear() {
  const std::lock_guard lock(mutex_);
  idle_.clear();
  seen_.clear();
  refused_.clear();
  ++generation_;
}

Replays::Counts Replays::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}
std::string Replays::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace chainer::recording
