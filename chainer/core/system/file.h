// SPDX-License-Identifier: MIT
// Reading and writing whole files; names of temporary files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace chainer {

/// Returns the bytes of a file. Throws FileError with the reason, or if the file has more than `largest` bytes.
std::string read_file(const std::filesystem::path& path, uint64_t largest = std::numeric_limits<uint64_t>::max());
/// Returns the bytes of a regular file below a folder. Symbolic links below the folder are not followed (see
/// InputFile).
std::string read_file_below(const std::filesystem::path& folder, const std::filesystem::path& below, uint64_t largest);
/// Calls f(bytes) for consecutive pieces of a file, without keeping them.
void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& f);
/// Writes a file through a FileWriter (core/system/file_writer.h): `path` is always the complete old or new file.
/// Throws FileError with the reason; no temporary file is left.
void write_file(const std::filesystem::path& path, std::string_view bytes);
/// Makes a folder and its missing parents. Throws FileError with the reason.
void make_folder(const std::filesystem::path& path);
/// Returns true if a file belongs to another user. Links are not followed. Returns false for a missing file.
bool is_of_another_user(const std::filesystem::path& path);
/// Returns a name for a temporary file in the folder of `path`: tmp-<tag>-<number>-<random number>-<name>, with the
/// process_tag() of this process; a long name is truncated. Open the file with O_EXCL, or through FileWriter.
std::filesystem::path temporary_next_to(const std::filesystem::path& path);
/// Removes temporary files with such names whose process has ended; returns how many. Files of running processes are
/// kept, and all files of other machines and containers, whose processes are not visible here.
int remove_orphaned_temporaries(const std::filesystem::path& folder);

}  // namespace chainer
