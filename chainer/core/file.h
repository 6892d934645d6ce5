// Whole files in and out, never half-written.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace chainer {

/// The bytes of a file; throws FileError with the reason.
std::string read_file(const std::filesystem::path& path);
/// Writes a temporary file beside `path` and renames it, so that `path` is the old or the new file, never a part.
/// The temporary name starts with "tmp-"; it is removed when anything fails. Throws FileError with the reason.
void write_file(const std::filesystem::path& path, std::string_view bytes);
/// A name for a temporary file in the folder of `path`: tmp-<process>-<number>-<name>.
std::filesystem::path temporary_beside(const std::filesystem::path& path);
/// Removes temporary files of such names whose process has ended without removing them; returns how many. Files of
/// running processes stay.
int remove_orphaned_temporaries(const std::filesystem::path& folder);

}  // namespace chainer
