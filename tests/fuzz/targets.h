// What is fuzzed: functions of arbitrary bytes. An Error of the library is a right answer to damaged input; any other
// exception, a crash, a sanitizer's report or a result that contradicts itself is a finding.
#pragma once
#include <string_view>
#include <vector>

namespace fuzz {

/// One .npy file: read, written and read again, the same; its elements pass through kernels.
void npy(std::string_view bytes);
/// One zip archive: its directory, then every member.
void zip(std::string_view bytes);
/// A JSON text: read, written and read again, the same.
void json(std::string_view bytes);
/// The number of axes (one byte), then an IDX file.
void idx(std::string_view bytes);
/// The mushroom example's table of letters.
void csv(std::string_view bytes);
/// A snapshot of a trainer in which members were replaced (see members.h), loaded; then three steps of training.
void snapshot(std::string_view bytes);
/// The number of an optimizer (one byte), then replaced members of its state, loaded; then two updates.
void optimizer(std::string_view bytes);
/// A picture of any format.
void picture(std::string_view bytes);
/// A pickle of plain data.
void pickle(std::string_view bytes);
/// A MAT file of level 5.
void matlab(std::string_view bytes);
/// A tar archive's directory.
void tar(std::string_view bytes);
/// A table of comma-separated values, all columns as numbers.
void table(std::string_view bytes);
/// An encoding and a way of treating errors (one byte), then a text file, all lines.
void lines(std::string_view bytes);
/// An HDF5 file, everything in it.
void hdf5(std::string_view bytes);

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
};
const std::vector<Target>& targets();

}  // namespace fuzz
