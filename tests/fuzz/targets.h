// SPDX-License-Identifier: MIT
// The targets of fuzzing: functions of arbitrary bytes. An Error of the library is a correct result for damaged input;
// other exceptions, crashes, reports of sanitizers and inconsistent results are findings.
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
/// A table of comma-separated values, each column as categories and numbers.
void csv(std::string_view bytes);
/// A pickled example.
void pickle(std::string_view bytes);
/// A MAT file.
void matlab(std::string_view bytes);
/// A tar archive, every byte of its members read.
void tar(std::string_view bytes);
/// A picture: JPEG, PNG, BMP or PNM.
void picture(std::string_view bytes);
/// A snapshot of a trainer in which members were replaced (see members.h), loaded; then three steps of training.
void snapshot(std::string_view bytes);
/// The number of an optimizer (one byte), then replaced members of its state, loaded; then two updates.
void optimizer(std::string_view bytes);
/// An HDF5 file: every dataset read, then loaded into a link.
void hdf5(std::string_view bytes);
/// A file of pickled records.
void records(std::string_view bytes);
/// A list of pictures and labels.
void lists(std::string_view bytes);
/// A zip archive of pictures, or (unless it begins with "P") pictures of which one is made.
void zipped_pictures(std::string_view bytes);
/// Encoding, treatment of errors and newlines (one byte), then a text file.
void texts(std::string_view bytes);

/// A safetensors file: its arrays are read, written and read again, and loaded into a link.
void safetensors(std::string_view bytes);
/// A Caffe model: read, written and read again, made a network, and run on a small image.
void caffemodel(std::string_view bytes);
/// An NPZ file whose members are mapped and written to.
void mapped(std::string_view bytes);
/// An ONNX file, made into a model; its weights are written again.
void onnx(std::string_view bytes);

/// A tokenizer.json: a text is encoded and decoded.
void tokenizer(std::string_view bytes);

/// The extension of the names (one byte), the length of the first file (two bytes, little-endian), then two model files
/// of any kind: the program `chainer` inspects, compares and converts them.
void tool(std::string_view bytes);

/// A request to the page of results, directly or (after "!") as bytes through the port: files outside of the folder are
/// not disclosed, JSON responses are valid, and the answer of the port is the response of the site, byte for byte.
void request(std::string_view bytes);

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
};
const std::vector<Target>& targets();

}  // namespace fuzz
