// SPDX-License-Identifier: MIT
// Fails in a given way, for check_trouble: mn_trouble KIND. All ranks must end with a message.
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>

#include <csignal>
#include <ctime>
#include <thread>

using namespace chainer;

namespace {

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// Tells check_trouble when the failure begins.
void begin(chainermn::CommunicatorBase& comm) {
  if (comm.rank() == 0) std::fprintf(stderr, "trouble at %lld\n", static_cast<long long>(std::time(nullptr)));
  comm.barrier();
}

void trouble(const std::string& kind) {
  const auto c = chainermn::create_communicator("hierarchical");
  const bool last = c->rank() == c->size() - 1;
  c->barrier();
  begin(*c);
  if (kind == "throw") {
    if (last) throw ValueError("the last rank's error");
  } else if (kind == "kill") {
    if (last) std::raise(SIGKILL);
  } else if (kind == "segv") {
    if (last) std::raise(SIGSEGV);
  } else if (kind == "exit") {
    if (last) std::exit(3);
  } else if (kind == "exit0") {
    if (last) std::exit(0);
  } else if (kind == "return") {
    if (last) return;
  } else if (kind == "return_before_a_message") {
    if (last) return;
    (void)c->recv(c->size() - 1, 7);
  } else if (kind == "return_before_a_mean") {
    L::Linear model(3, 2);
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD(), c).setup(model);
    for (int i = 0; i < (last ? 3 : 4); ++i) optimizer.update([&] { return F::sum(model(ones({1, 3}))); });
    return;
  } else if (kind == "late") {
    if (last) std::this_thread::sleep_for(std::chrono::seconds(8));
  } else if (kind == "known_and_new") {
    (void)c->allreduce(ones({3}));
    (void)c->allreduce(ones({3}, last ? int32 : float32));  // one rank knows and trusts the call
  } else if (kind == "missing") {
    if (last) sleep_for_ever();
  } else if (kind == "elsewhere") {
    if (last) (void)c->recv(0, 7);
  } else if (kind == "gradients") {
    L::Linear model(3, 2);
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD(), c).setup(model);
    for (int i = 0;; ++i) {
      if (last && i == 3) sleep_for_ever();
      optimizer.update([&] { return F::sum(model(ones({1, 3}))); });
    }
  }
  c->barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind == "uncaught") {
    const auto c = chainermn::create_communicator("flat");
    chainermn::global_except_hook::add_hook();
    begin(*c);
    if (c->rank() == c->size() - 1) throw ValueError("nobody catches this");
    c->barrier();
    return 0;
  }
  if (kind == "environment") {
    const auto c = chainermn::create_communicator("flat");
    begin(*c);
    if (c->rank() == c->size() - 1) std::thread([] { throw ValueError("nobody catches this"); }).join();
    c->barrier();
    return 0;
  }
  return chainermn::run("mn_trouble", [&] { trouble(kind); });
}
