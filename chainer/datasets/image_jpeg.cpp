// SPDX-License-Identifier: MIT
// JPEG through libjpeg-turbo's TurboJPEG interface.
#include <turbojpeg.h>

#include <algorithm>
#include <memory>

#include "chainer/datasets/image.h"

namespace chainer::dataset {
namespace {

struct Destroy {
  void operator()(tjhandle handle) const { tjDestroy(handle); }
};
using Handle = std::unique_ptr<void, Destroy>;

Handle started(tjhandle handle) {
  if (!handle) throw FileError("libjpeg-turbo could not start: ", tjGetErrorStr2(nullptr));
  return Handle(handle);
}

// Returns true for warnings about complete pictures. Some cameras write extra bytes between segments.
bool is_harmless(const std::string& warning) {
  for (const char* known : {"extraneous bytes", "unknown JFIF revision number", "Unknown Adobe color transform code"})
    if (warning.find(known) != warning.npos) return true;
  return false;
}

}  // namespace

bool has_jpeg() { return true; }

Picture decode_jpeg(std::string_view bytes, const std::string& what, int64_t least_side) {
  // After an error the decoder is replaced: it may keep the error's state.
  thread_local Handle handle;
  if (!handle) handle = started(tjInitDecompress());
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto size = static_cast<unsigned long>(bytes.size());
  const auto check = [&](int status) {
    if (status == 0) return;
    const std::string why = tjGetErrorStr2(handle.get());
    if (tjGetErrorCode(handle.get()) == TJERR_WARNING && is_harmless(why)) return;
    handle.reset();
    throw FileError(what, ": not a valid JPEG picture: ", why);
  };
  int width = 0, height = 0, subsampling = 0, space = -1;
  const int status = tjDecompressHeader3(handle.get(), data, size, &width, &height, &subsampling, &space);
  // Kinds of subsampling without a name, such as 4:2:2 of CMYK, are an error here only.
  if (status == 0 || subsampling >= 0 || width <= 0 || height <= 0 || space < 0) check(status);
  check_picture_size(height, width, what);
  // (libjpeg-turbo has fast kernels for these scales only.)
  for (const int divisor : {8, 4, 2}) {
    const tjscalingfactor scale{1, divisor};
    if (least_side == 0 || std::min(TJSCALED(width, scale), TJSCALED(height, scale)) < least_side) continue;
    width = TJSCALED(width, scale);
    height = TJSCALED(height, scale);
    break;
  }
  const bool ink = space == TJCS_CMYK || space == TJCS_YCCK;
  const int format = space == TJCS_GRAY ? TJPF_GRAY : ink ? TJPF_CMYK : TJPF_RGB;
  Picture p{height, width, tjPixelSize[format], {}, {}};
  p.bytes.resize(static_cast<std::size_t>(p.height * p.width * p.channels));
  check(tjDecompress2(handle.get(), data, size, p.bytes.data(), width, 0, height, format, 0));
  // Adobe's programs, which write most CMYK files, store inverted inks.
  if (ink)
    for (uint8_t& v : p.bytes) v = static_cast<uint8_t>(255 - v);
  return p;
}

std::string encode_jpeg(const Array& pixels, int quality) {
  const Shape& s = pixels.shape();
  if (s.ndim() != 3 || (s[2] != 1 && s[2] != 3) || pixels.dtype() != uint8 || s[0] <= 0 || s[1] <= 0)
    throw ValueError("encode_jpeg: pixels (height, width, 1 or 3) of uint8 are expected, not ", s, " of ",
                     pixels.dtype());
  if (quality < 1 || quality > 100) throw ValueError("encode_jpeg: quality must be in 1 ... 100, not ", quality);
  const Handle handle = started(tjInitCompress());
  const Array whole = pixels.contiguous();
  unsigned char* out = nullptr;
  unsigned long size = 0;
  const int status =
      tjCompress2(handle.get(), whole.data<uint8_t>(), static_cast<int>(s[1]), 0, static_cast<int>(s[0]),
                  s[2] == 1 ? TJPF_GRAY : TJPF_RGB, &out, &size, s[2] == 1 ? TJSAMP_GRAY : TJSAMP_420, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owned(out, tjFree);
  if (status != 0) throw ValueError("encode_jpeg: ", tjGetErrorStr2(handle.get()));
  return std::string(reinterpret_cast<char*>(out), size);
}

}  // namespace chainer::dataset
