// SPDX-License-Identifier: MIT
// Tracks which call of which communicator each rank is in, so that a long wait can report the missing ranks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/mn/transport.h"

namespace chainer::mn {

/// The seconds that a call waits for other ranks before it throws RuntimeError that names them; 0 waits forever. The
/// default is the environment variable CHAINERMN_WAIT_LIMIT, or 1800. set_wait_limit() throws ValueError for a negative
/// number.
double wait_limit();
void set_wait_limit(double seconds);
/// The seconds after which a waiting call queries the other ranks. If a rank has ended, or is in another call instead,
/// the call throws RuntimeError at once; otherwise the lowest waiting rank prints a warning that names the missing
/// ranks, again after ten times as long. 0 disables queries. The environment variable CHAINERMN_WARN_AFTER, or 30.
double warn_after();

/// The counted calls of one communicator, which has the same id on all ranks.
class RollCall {
 public:
  /// `members` are the ranks in the world of the communicator's ranks, `hosts` their hosts.
  RollCall(uint64_t id, std::string name, int rank, std::vector<int> members, std::vector<std::string> hosts);
  ~RollCall();
  RollCall(const RollCall&) = delete;
  uint64_t id() const { return id_; }
  const std::vector<int>& members() const { return members_; }
  const std::vector<std::string>& hosts() const { return hosts_; }
  /// Returns "rank 2 (host)".
  std::string who(int rank) const;
  /// Begins a collective call, whose description is the same on all ranks, and returns its number.
  int64_t enter(const std::string& call);
  /// Begins a call of some ranks, which is not counted.
  void note(const char* operation);
  int64_t count() const;

  /// Runs an operation until it is done; it depends on the ranks in `awaited` (by default all others). Throws
  /// RuntimeError, naming this call and the missing ranks, after wait_limit(); see also warn_after().
  void wait(Operation& op, const char* operation, const std::vector<int>& awaited = {}) const;
  /// Waits until done() returns true, calling `pause` in between; throws as wait() does. `missing` returns the missing
  /// ranks if they are known without a query.
  void wait_until(const std::function<bool()>& done, const char* operation, const std::vector<int>& awaited,
                  const std::function<void(int)>& pause = {},
                  const std::function<std::vector<int>()>& missing = {}) const;

  /// Returns the rank of this process in the world.
  static int world_rank();

 private:
  struct Findings;
  class Inquiry;
  std::string waited_in(const char* operation, double seconds) const;
  uint64_t id_;
  std::string name_;
  int rank_;
  std::vector<int> members_;
  std::vector<std::string> hosts_;
};

}  // namespace chainer::mn
