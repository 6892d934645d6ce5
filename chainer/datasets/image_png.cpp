// SPDX-License-Identifier: MIT
// PNG through libpng, which reports errors by longjmp: functions that it jumps out of hold only plain data.
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>

#include "chainer/datasets/image.h"

namespace chainer::dataset {
namespace {

// The unread data and the message of an error.
struct Source {
  const char* data;
  std::size_t left;
  char error[128];
};

void keep_error(png_structp png, png_const_charp message) {
  auto* s = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(s->error, message, sizeof s->error - 1);
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}
void give(png_structp png, png_bytep to, std::size_t n) {
  auto* s = static_cast<Source*>(png_get_io_ptr(png));
  if (n > s->left) png_error(png, "it ends early");
  std::memcpy(to, s->data, n);
  s->data += n;
  s->left -= n;
}

struct Header {
  png_uint_32 width, height;
  int depth, type;
};

bool read_header(png_structp png, png_infop info, Header* h) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  png_get_IHDR(png, info, &h->width, &h->height, &h->depth, &h->type, nullptr, nullptr, nullptr);
  return true;
}

// Sets the transformations that give the same modes as the reader of the reference release. Returns the bytes per row,
// 0 after an error.
std::size_t prepare(png_structp png, png_infop info, const Header* h) {
  if (setjmp(png_jmpbuf(png))) return 0;
  if (h->type == PNG_COLOR_TYPE_GRAY && (h->depth == 2 || h->depth == 4)) png_set_expand_gray_1_2_4_to_8(png);
  if (h->depth < 8) png_set_packing(png);
  if (h->depth == 16) {
    if (h->type == PNG_COLOR_TYPE_GRAY) {
      if constexpr (std::endian::native == std::endian::little) png_set_swap(png);
    } else
      png_set_strip_16(png);
  }
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return png_get_rowbytes(png, info);
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void append(png_structp png, png_bytep from, std::size_t n) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(from), n);
}
void flush(png_structp) {}
bool write_rows(png_structp png, png_infop info, png_bytepp rows, png_uint_32 width, png_uint_32 height, int type) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_IHDR(png, info, width, height, 8, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_rows(png, info, rows);
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

}  // namespace

bool has_png() { return true; }

Picture decode_png(std::string_view bytes, const std::string& what) {
  Source source{bytes.data(), bytes.size(), ""};
  Reader r;
  r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, keep_error, ignore_warning);
  r.info = r.png ? png_create_info_struct(r.png) : nullptr;
  if (!r.info) throw FileError(what, ": libpng could not start");
  png_set_read_fn(r.png, &source, give);
  const auto damaged = [&] { throw FileError(what, ": not a valid PNG picture: ", source.error); };
  Header h{};
  if (!read_header(r.png, r.info, &h)) damaged();
  check_picture_size(h.height, h.width, what);
  const std::size_t row = prepare(r.png, r.info, &h);
  if (row == 0) damaged();
  const bool deep = h.depth == 16 && h.type == PNG_COLOR_TYPE_GRAY;
  Picture p{h.height, h.width, png_get_channels(r.png, r.info), {}, {}};
  const auto count = static_cast<std::size_t>(p.height * p.width * p.channels);
  png_bytep first = nullptr;
  if (deep) {
    p.words.resize(count);
    first = reinterpret_cast<png_bytep>(p.words.data());
  } else {
    p.bytes.resize(count);
    first = p.bytes.data();
  }
  if (row * h.height != count * (deep ? 2 : 1)) throw FileError(what, ": a PNG picture of an unknown kind");
  std::vector<png_bytep> rows(h.height);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = first + i * row;
  if (!read_rows(r.png, rows.data())) damaged();
  return p;
}

std::string encode_png(const Array& pixels) {
  const Shape& s = pixels.shape();
  if (s.ndim() != 3 || (s[2] != 1 && s[2] != 3) || pixels.dtype() != uint8 || s[0] <= 0 || s[1] <= 0)
    throw ValueError("encode_png: pixels (height, width, 1 or 3) of uint8 are expected, not ", s, " of ",
                     pixels.dtype());
  const Array whole = pixels.contiguous();
  auto* first = const_cast<uint8_t*>(whole.data<uint8_t>());  // only read, but libpng's type is not const
  std::vector<png_bytep> rows(static_cast<std::size_t>(s[0]));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = first + static_cast<int64_t>(i) * s[1] * s[2];
  Source errors{nullptr, 0, ""};
  std::string out;
  struct Writer {
    png_structp png = nullptr;
    png_infop info = nullptr;
    ~Writer() { png_destroy_write_struct(&png, &info); }
  } w;
  w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors, keep_error, ignore_warning);
  w.info = w.png ? png_create_info_struct(w.png) : nullptr;
  if (!w.info) throw RuntimeError("encode_png: libpng could not start");
  png_set_write_fn(w.png, &out, append, flush);
  if (!write_rows(w.png, w.info, rows.data(), static_cast<png_uint_32>(s[1]), static_cast<png_uint_32>(s[0]),
                  s[2] == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB))
    throw ValueError("encode_png: ", errors.error);
  return out;
}

}  // namespace chainer::dataset
