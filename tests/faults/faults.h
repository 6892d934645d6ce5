// SPDX-License-Identifier: MIT
// A layer under the library's files: the system calls of this program go through it, and one of them can be made to
// fail, to be interrupted, to do a part of its work only or to take its time. It sees calls on files below one folder,
// from the thread that asked for it.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace faults {

/// What happens to a call instead of what was asked for.
struct Fault {
  enum Kind { none, error, interrupted, partial, slow };
  Kind kind = none;
  int number = 0;  ///< of an error: errno
};
/// A call that was seen: "open", "write", ...; `writes` for one that changes something, or a descriptor that does.
struct Call {
  std::string name;
  bool writes = false;
};

/// Runs f with the faults; the calls are counted from 0, and the one at `at` meets its fault. All calls are returned;
/// what f throws passes through. A partial call is followed by a full disk where a fault's number says so.
std::vector<Call> run(const std::filesystem::path& folder, int at, Fault fault, const std::function<void()>& f);
/// The faults that a call can meet.
std::vector<Fault> of(const Call& call);
std::string describe(const Call& call, const Fault& fault);

}  // namespace faults
