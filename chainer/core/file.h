// Whole files in and out, never half-written; the names of files that are not finished.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace chainer {

/// The bytes of a file; FileError with the reason, and for a file of more than `largest` bytes.
std::string read_file(const std::filesystem::path& path, uint64_t largest = std::numeric_limits<uint64_t>::max());
/// The same piece by piece, f(bytes), without keeping them.
void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& f);
/// Writes a file through a FileWriter (core/file_writer.h), so that `path` is the old or the new file, never a part.
/// FileError with the reason; no temporary file stays behind.
void write_file(const std::filesystem::path& path, std::string_view bytes);
/// Makes a folder and those above it where they are not there yet; FileError with the reason.
void make_folder(const std::filesystem::path& path);
/// Whether a file belongs to another user; links are not followed. No for what is not there.
bool is_of_another_user(const std::filesystem::path& path);
/// A name for a temporary file in the folder of `path`: tmp-<tag>-<number>-<random number>-<name>, with the
/// process_tag() of this process; a long name keeps its beginning only. Whoever makes the file opens it with O_EXCL, or lets FileWriter do so.
std::filesystem::path temporary_beside(const std::filesystem::path& path);
/// Removes temporary files of such names whose process has ended without removing them; returns how many. Files of
/// running processes stay, and all of other machines and containers, whose processes are not seen from here.
int remove_orphaned_temporaries(const std::filesystem::path& folder);

}  // namespace chainer
