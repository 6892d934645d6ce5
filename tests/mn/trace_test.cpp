// SPDX-License-Identifier: MIT
// The timeline of all ranks is one file.
#include <chainer/core/system/file.h>
#include <chainer/core/json.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "ranks.h"

using namespace chainer;

namespace {

// Returns the events of a run of three iterations on all ranks, read by rank 0.
json::List traced_ranks(const std::string& name, bool to_its_end) {
  const auto comm = world();
  const std::string out =
      comm->bcast_obj(chainermn::Object((std::filesystem::temp_directory_path() / text(name, ::getpid())).string()))
          .to_text();
  const Array x = random::RandomState(static_cast<uint32_t>(comm->rank())).randn({12, 6}, float32);
  iterators::SerialIterator it(datasets::TupleDataset(x, zeros({12}, int32)), 4);
  L::Classifier model(L::Linear(6, 3));
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD(0.1), comm).setup(model);
  training::StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {3, "iteration"}, {.out = out});
  trainer.extend(chainermn::extensions::Trace(comm, {.first = 2, .last = to_its_end ? 3 : 50}));
  trainer.run();
  comm->barrier();
  json::List events;
  if (comm->rank() == 0) events = *json::parse(read_file(out + "/trace.json")).find("traceEvents")->list();
  comm->barrier();
  if (comm->rank() == 0) std::filesystem::remove_all(out);
  return events;
}

}  // namespace

TEST(a_trace_has_the_ranks_as_processes) {
  for (const bool to_its_end : {true, false}) {
    const json::List events = traced_ranks(text("mn_trace_", to_its_end), to_its_end);
    if (world()->rank() != 0) continue;
    std::map<double, std::set<std::string>> seen;
    for (const json::Value& e : events)
      seen[e.find("pid")->number()].insert(*e.find(e.find("cat") ? "cat" : "name")->string());
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(world()->size()));
    for (const auto& [rank, kinds] : seen)
      for (const char* kind : {"process_name", "forward", "backward", "input", "update", "communication", "training"})
        EXPECT(kinds.count(kind));
  }
}
