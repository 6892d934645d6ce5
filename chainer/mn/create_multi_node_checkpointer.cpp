// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <numeric>

#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/mn/checkpointer.h"
#include "chainer/routines/random.h"
#include "chainer/serializers/serializers.h"

namespace chainer::mn {
namespace {

// Returns the number of ranks that wrote a checkpoint; nullopt if the file is not a complete checkpoint.
std::optional<int64_t> ranks_of(const std::filesystem::path& file, int64_t iteration, bool thoroughly) {
  try {
    const auto npz = std::make_shared<const serializers::NpzFile>(file);
    serializers::NpzDeserializer in(npz);
    int64_t size = 0, at = -1;
    in.count("_mn_size", size);
    in.count("_mn_iteration", at);
    if (at != iteration || size < 1) return {};
    if (thoroughly)
      for (const std::string& key : npz->keys()) npz->check(key);
    return size;
  } catch (const FileAccessError&) {
    throw;  // the file may be intact
  } catch (const MemoryError&) { throw; } catch (const Error&) {
    return {};
  }
}

// Returns true for keys with an iterator's order of examples or its position in an epoch.
bool is_place_of_iterator(const std::string& key) {
  const auto at = key.find("iterator:");
  if (at == key.npos) return false;
  const auto slash = key.rfind('/');
  const std::string last = slash == key.npos ? key : key.substr(slash + 1);
  return last == "order" || last == "_order" || last == "_orders_ahead" || last == "current_position" ||
         last == "previous_epoch_detail" || last == "is_new_epoch";
}

}  // namespace

MultiNodeCheckpointer::MultiNodeCheckpointer(std::string name, Communicator comm, const CheckpointerOptions& o)
    : name_(std::move(name)), comm_(std::move(comm)), options_(o) {
  if (!comm_) throw TypeError("create_multi_node_checkpointer: the communicator is nullptr");
  if (name_.empty() || name_.find_first_of("./") != name_.npos)
    throw ValueError("create_multi_node_checkpointer: the name '", name_,
                     "' must not be empty or contain a dot or a slash");
  if (o.cp_interval < 1 || o.gc_interval < 1)
    throw ValueError("create_multi_node_checkpointer: intervals must be 1 or more; cp_interval is ", o.cp_interval,
                     ", gc_interval ", o.gc_interval);
}

std::filesystem::path MultiNodeCheckpointer::folder(const Trainer& trainer) const {
  return options_.path ? std::filesystem::path(*options_.path) : trainer.out();
}
std::filesystem::path MultiNodeCheckpointer::file(const std::filesystem::path& folder, int rank,
                                                  int64_t iteration) const {
  return folder / text(name_, ".", rank, ".", iteration);
}

std::set<int64_t> MultiNodeCheckpointer::iterations_of(const std::filesystem::path& folder, int rank) const {
  std::set<int64_t> out;
  const std::string start = text(name_, ".", rank, ".");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename();
    if (!file.starts_with(start)) continue;
    int64_t iteration = -1;
    const auto [end, bad] = std::from_chars(file.data() + start.size(), file.data() + file.size(), iteration);
    if (bad == std::errc() && end == file.data() + file.size() && iteration >= 0) out.insert(iteration);
  }
  return out;
}

void MultiNodeCheckpointer::operator()(Trainer& trainer) { save(trainer); }

void MultiNodeCheckpointer::save(Trainer& trainer, std::optional<int64_t> iteration) {
  const double start = now();
  const std::filesystem::path to = folder(trainer);
  std::filesystem::create_directories(to);
  int64_t at = iteration.value_or(trainer.updater().iteration()), size = comm_->size();
  serializers::DictionarySerializer out;
  trainer.serialize(out);
  out.integer("_mn_size", size);
  out.integer("_mn_iteration", at);
  serializers::write_npz(file(to, comm_->rank(), at), out.target(), false);
  seconds_.push_back(now() - start);
  if (++saved_ % options_.gc_interval == 0) collect(to);
}

// Removes old files if a rank has more than cp_interval + 5 of them. Keeps the newest cp_interval checkpoints that all
// ranks have, and later ones.
void MultiNodeCheckpointer::collect(const std::filesystem::path& at) {
  const std::set<int64_t> mine = iterations_of(at, comm_->rank());
  ObjectList list;
  for (const int64_t i : mine) list.emplace_back(i);
  std::vector<int64_t> common(mine.begin(), mine.end());
  std::size_t most = 0;
  for (const Object& of_rank : comm_->allgather_obj(Object(std::move(list)))) {
    std::set<int64_t> theirs;
    for (const Object& i : of_rank.to_list()) theirs.insert(i.to_int());
    most = std::max(most, theirs.size());
    std::erase_if(common, [&](int64_t i) { return !theirs.count(i); });
  }
  const auto keep = static_cast<std::size_t>(options_.cp_interval);
  if (most <= keep + 5 || common.size() < keep) return;
  const int64_t oldest = common[common.size() - keep];
  std::error_code error;
  for (const int64_t i : mine)
    if (i < oldest) std::filesystem::remove(file(at, comm_->rank(), i), error);
  // Files from a run with more ranks.
  if (comm_->rank() == 0)
    for (int r = comm_->size(); !iterations_of(at, r).empty(); ++r)
      for (const int64_t i : iterations_of(at, r))
        if (i < oldest) std::filesystem::remove(file(at, r, i), error);
}

std::optional<int64_t> MultiNodeCheckpointer::maybe_load(Trainer& trainer, Optimizer& optimizer,
                                                         std::optional<std::string> path) {
  (void)optimizer;
  return maybe_load(trainer, std::move(path));
}

std::optional<int64_t> MultiNodeCheckpointer::maybe_load(Trainer& trainer, std::optional<std::string> path) {
  const std::filesystem::path from = path ? std::filesystem::path(*path) : folder(trainer);
  std::error_code error;
  if (std::filesystem::is_directory(from, error)) (void)remove_orphaned_temporaries(from);
  // The checkpoints that this rank can load: with the same number of ranks, those whose file of this rank exists; with
  // another number, those of which all files exist.
  const int64_t size = comm_->size();
  std::set<std::pair<int64_t, int64_t>> found;  // iteration, ranks
  for (const int rank : std::set<int>{comm_->rank(), 0})
    for (const int64_t i : iterations_of(from, rank)) {
      const auto n = ranks_of(file(from, rank, i), i, false);
      if (!n && rank == comm_->rank())
        warn(text("checkpoint ", file(from, rank, i).string(), " is damaged or not a checkpoint; using an older one"));
      if (!n) continue;
      bool there = true;
      if (*n != size)
        for (int64_t r = 0; r < *n; ++r) there &= std::filesystem::exists(file(from, static_cast<int>(r), i), error);
      else
        there = rank == comm_->rank();
      if (there) found.emplace(i, *n);
    }
  ObjectList list;
  for (const auto& [i, n] : found) list.emplace_back(ObjectList{Object(i), Object(n)});
  std::vector<std::pair<int64_t, int64_t>> common(found.begin(), found.end());
  for (const Object& of_rank : comm_->allgather_obj(Object(std::move(list)))) {
    std::set<std::pair<int64_t, int64_t>> theirs;
    for (const Object& p : of_rank.to_list()) theirs.emplace(p.to_list().at(0).to_int(), p.to_list().at(1).to_int());
    std::erase_if(common, [&](const auto& p) { return !theirs.count(p); });
  }
  // All ranks have the same list. All of them verify their file of a checkpoint before any rank loads it.
  for (auto it = common.rbegin(); it != common.rend(); ++it) {
    const auto [iteration, ranks] = *it;
    const auto source = static_cast<int>(comm_->rank() % ranks);
    const std::filesystem::path whole = file(from, source, iteration);
    const bool fine = ranks_of(whole, iteration, true) == ranks;
    bool all = true;
    for (const Object& o : comm_->allgather_obj(Object(fine))) all &= o.to_bool();
    if (!all) {
      if (!fine) warn(text("checkpoint ", whole.string(), " is damaged; using an older one"));
      continue;
    }
    serializers::NpzOptions options;
    if (ranks != size)
      options.ignore_names.push_back(
          [](const std::string& key) { return is_place_of_iterator(key) || key.find("/_mn/") != key.npos; });
    serializers::NpzDeserializer in(std::make_shared<const serializers::NpzFile>(whole), options);
    trainer.serialize(in);
    if (comm_->rank() >= ranks)
      random::seed(random::global().next_uint32() + static_cast<uint32_t>(comm_->rank()) * 2654435761u);
    return iteration;
  }
  return {};
}

std::string MultiNodeCheckpointer::get_stats() const {
  if (seconds_.empty()) return "checkpoints: 0";
  const auto [least, most] = std::minmax_element(seconds_.begin(), seconds_.end());
  const double mean = std::accumulate(seconds_.begin(), seconds_.end(), 0.0) / static_cast<double>(seconds_.size());
  return text("checkpoints: ", seconds_.size(), ", seconds per checkpoint: ", mean, " on average, ", *least, " to ",
              *most);
}

void MultiNodeCheckpointer::initialize(Trainer& trainer) { trainer_ = &trainer; }

void MultiNodeCheckpointer::finalize() {
  Trainer* const trainer = std::exchange(trainer_, nullptr);
  if (!trainer) return;
  // Files are removed only if all ranks have completed, since a failed rank may need them. A rank that fails in the
  // last iteration takes part in the exchange, as the others have left their loops; for one that fails earlier, the
  // others do not get here.
  const bool completed = trainer->is_completed();
  if (!completed) {
    const auto length = trainer->stop_trigger().get_training_length();
    if (!length) return;
    const auto& [period, unit] = *length;
    const double done = unit == training::Unit::iteration ? static_cast<double>(trainer->updater().iteration())
                                                          : trainer->updater().epoch_detail();
    if (done < period) return;
  }
  bool all = true;
  for (const Object& o : comm_->allgather_obj(Object(completed))) all &= o.to_bool();
  if (!all || saved_ == 0) return;
  const std::filesystem::path at = folder(*trainer);
  std::error_code error;
  for (const int64_t i : iterations_of(at, comm_->rank())) std::filesystem::remove(file(at, comm_->rank(), i), error);
}

std::shared_ptr<MultiNodeCheckpointer> create_multi_node_checkpointer(const std::string& name, Communicator comm,
                                                                      const CheckpointerOptions& o) {
  return std::make_shared<MultiNodeCheckpointer>(name, std::move(comm), o);
}

}  // namespace chainer::mn
