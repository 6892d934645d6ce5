// SPDX-License-Identifier: MIT
// Timelines of several processes.
#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/mn/extensions.h"

namespace chainer::mn::extensions {
namespace {

training::extensions::TraceOptions with_process(training::extensions::TraceOptions o, const Communicator& comm) {
  if (!comm) throw TypeError("Trace: the communicator is nullptr");
  o.hook.process = comm->rank();
  o.hook.process_name = text("rank ", comm->rank(), " on ", comm->host(comm->rank()));
  return o;
}

}  // namespace

Trace::Trace(Communicator comm, training::extensions::TraceOptions options)
    : training::extensions::Trace(with_process(std::move(options), comm)), comm_(std::move(comm)) {}

double Trace::origin() {
  comm_->barrier();
  return now();
}

void Trace::write(const std::string& events, int64_t left_out, bool all_there) {
  if (!all_there) {
    std::filesystem::path part = path();
    part.replace_extension(text(".", comm_->rank(), path().extension().string()));
    if (!events.empty()) write_file(part, function_hooks::TraceHook::join({events}, left_out));
    return;
  }
  std::vector<std::string> parts;
  int64_t all_left_out = 0;
  for (const Object& o : comm_->gather_obj(Object(ObjectList{Object(events), Object(left_out)}))) {
    if (!o.to_list()[0].to_text().empty()) parts.push_back(o.to_list()[0].to_text());
    all_left_out += o.to_list()[1].to_int();
  }
  if (!parts.empty()) write_file(path(), function_hooks::TraceHook::join(parts, all_left_out));
}

}  // namespace chainer::mn::extensions
