// SPDX-License-Identifier: MIT
// Fault injection: intercepts system calls of this program, and makes one of them fail, be interrupted, complete only
// partially or slowly. Affects calls for files below one folder from the thread that calls run().
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace faults {

/// The effect on a call.
struct Fault {
  enum Kind { none, error, interrupted, partial, slow };
  Kind kind = none;
  int number = 0;  ///< of an error: errno
};
/// An intercepted call: "open", "write", ...; `writes` if it modifies files, or opens one for writing.
struct Call {
  std::string name;
  bool writes = false;
};

/// Runs f with a fault in call number `at` (from 0), and returns all calls. Exceptions of f are passed on. If a partial
/// fault has an error number, all later writes fail.
std::vector<Call> run(const std::filesystem::path& folder, int at, Fault fault, const std::function<void()>& f);
/// Returns the faults that are possible for a call.
std::vector<Fault> of(const Call& call);
std::string describe(const Call& call, const Fault& fault);

}  // namespace faults
