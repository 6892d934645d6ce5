// SPDX-License-Identifier: MIT
// The contents of a snapshot of a run.
#include <algorithm>
#include <cmath>

#include "chainer/core/json.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"
#include "chainer/training/trainer.h"

namespace chainer::training {
namespace {

// The state of the global random generator. Chainer ignores this key, and its files lack it.
void serialize_random(Serializer& s) {
  if (s.is_loading() && !s.contains("key")) return;
  random::State state = random::state();
  Array key = array(std::vector<int64_t>(state.key.begin(), state.key.end()));
  int64_t seed = static_cast<int64_t>(state.bulk_seed), counter = static_cast<int64_t>(state.bulk_counter);
  s("key", key);
  s("position", state.position);
  s("has_gauss", state.has_gauss);
  s("gauss", state.gauss);
  s("bulk_seed", seed);
  s("bulk_counter", counter);
  if (!s.is_loading()) return;
  const std::vector<int64_t> words = key.to_vector<int64_t>();
  state.key.assign(words.begin(), words.end());
  state.bulk_seed = static_cast<uint64_t>(seed);
  state.bulk_counter = static_cast<uint64_t>(counter);
  random::set_state(state);
}

// The numbers observed in the last iteration, which the stop trigger needs: it is called after the snapshot.
void serialize_observation(Serializer& s, Observation& observation) {
  if (s.is_loading() && !s.contains("names")) return;
  json::List names;
  std::vector<double> numbers;
  for (const auto& [key, v] : observation) {
    if (!v.is_scalar()) continue;
    names.emplace_back(key);
    numbers.insert(numbers.end(), {v.number(), v.weight()});
  }
  std::string joined = json::dump(json::Value(std::move(names)));
  Array values = s.is_loading() ? Array() : array(numbers);
  s("names", joined);
  s("numbers", values);
  if (!s.is_loading()) return;
  const json::Value list = json::parse(joined);
  if (!values || !list.list() || values.size() != 2 * static_cast<int64_t>(list.list()->size()))
    throw ValueError("Trainer: the stored observation must have two numbers per name");
  numbers = values.to_vector<double>();
  observation.clear();
  auto at = numbers.begin();
  for (const json::Value& key : *list.list()) {
    if (!key.string()) throw ValueError("Trainer: a name in the stored observation is not a string");
    observation.insert_or_assign(*key.string(), ReportValue(at[0], at[1]));
    at += 2;
  }
}

}  // namespace

void Trainer::serialize(Serializer& s) {
  updater_->serialize(*s.child("updater"));
  if (stop_trigger_.given()) stop_trigger_.serialize(*s.child("stop_trigger"));
  const auto extensions = s.child("extensions"), triggers = s.child("extension_triggers");
  for (const Entry& e : extensions_) {
    e.extension->serialize(*extensions->child(e.name));
    e.trigger.serialize(*triggers->child(e.name));
  }
  serialize_observation(*s.child("_observation"), observation);
  serialize_random(*s.child("_random_state"));
  double elapsed = s.is_loading() ? 0 : elapsed_time();
  s("_snapshot_elapsed_time", elapsed);
  if (!s.is_loading()) return s("_run_begun", begun_);
  snapshot_elapsed_time_ = elapsed;
  double before = 0;
  if (s.contains("_run_begun")) s("_run_begun", before);
  begun_ = std::max(begun_, std::nextafter(before, HUGE_VAL));
}

}  // namespace chainer::training
