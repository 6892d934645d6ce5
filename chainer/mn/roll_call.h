// Which call of which communicator each rank is in, so that a wait that takes too long can say who is missing.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/mn/transport.h"

namespace chainer::mn {

/// Seconds that a call may wait for other ranks before it is a RuntimeError that names them; 0 waits for ever. The
/// environment's CHAINERMN_WAIT_LIMIT, or 1800.
double wait_limit();
void set_wait_limit(double seconds);
/// Seconds after which a waiting call asks the others where they are: a rank that has ended, or that makes another call
/// in this one's place, is a RuntimeError at once; otherwise the lowest rank that waits prints a warning that names
/// those that are missing, again after ten times as long. 0 never asks. The environment's CHAINERMN_WARN_AFTER, or 30.
double warn_after();

/// The calls of one communicator, counted. All ranks of it know it by the same number.
class RollCall {
 public:
  /// `members` are the world's ranks of the communicator's ranks, `hosts` their hosts.
  RollCall(uint64_t id, std::string name, int rank, std::vector<int> members, std::vector<std::string> hosts);
  ~RollCall();
  RollCall(const RollCall&) = delete;
  uint64_t id() const { return id_; }
  const std::vector<int>& members() const { return members_; }
  const std::vector<std::string>& hosts() const { return hosts_; }
  /// "rank 2 (host)"
  std::string who(int rank) const;
  /// A collective call begins, which all ranks describe in the same words: its number.
  int64_t enter(const std::string& call);
  /// A call of some ranks begins, which is not counted.
  void note(const char* operation);
  int64_t count() const;

  /// Drives an operation until it is done, for which the ranks in `awaited` (all others by default) are needed. Past
  /// the limit it is a RuntimeError that names this call and those that are not in it; see warn_after(), too.
  void wait(Operation& op, const char* operation, const std::vector<int>& awaited = {}) const;
  /// The same for anything that can be asked whether it is done and that `pause` waits a little for. `missing` names
  /// ranks where that is known without asking.
  void wait_until(const std::function<bool()>& done, const char* operation, const std::vector<int>& awaited,
                  const std::function<void(int)>& pause = {},
                  const std::function<std::vector<int>()>& missing = {}) const;

  /// This process among all that were started together.
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
