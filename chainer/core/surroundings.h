// What a run can tell of itself: its command line, the commit of the folder that it works in, the time.
#pragma once
#include <filesystem>
#include <string>

namespace chainer {

/// The words of this process's command line, those with blanks in quotes; empty where the system does not tell.
std::string command_line();
/// The commit that is checked out in the git repository of a folder, or empty.
std::string git_commit(std::filesystem::path folder);
/// Now, as in "2026-11-23 02:20:00 UTC".
std::string utc_now();

}  // namespace chainer
