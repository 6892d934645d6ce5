// SPDX-License-Identifier: MIT
// Information about a run: its command line, the commit of its folder, the time.
#pragma once
#include <filesystem>
#include <string>

namespace chainer {

/// Returns the words of this process's command line, quoted if they contain blanks; empty if the system does not report
/// it.
std::string command_line();
/// Returns the commit that is checked out in a folder's git repository, or an empty string.
std::string git_commit(std::filesystem::path folder);
/// Returns the current time, for example "2026-11-23 02:20:00 UTC".
std::string utc_now();

}  // namespace chainer
