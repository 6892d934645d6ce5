// SPDX-License-Identifier: MIT
// Archives of members in pieces, written to a sink, compressed by threads; headers of NPY members that no NumPy writes.
#include "chainer/serializers/zip.h"

#include <chainer/chainer.h>

#include "folder.h"
#include "test.h"

using namespace chainer;

TEST(members_in_pieces) {
  std::string large(3000000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>(i * 2654435761u >> 13);
  const std::string_view pieces[] = {"he", "", "llo ", large};
  for (const bool compress : {true, false}) {
    std::string sunk;
    zip::Writer to_sink(compress, [&](std::string_view s) { sunk += s; }), in_memory(compress);
    for (zip::Writer* w : {&to_sink, &in_memory}) {
      w->add("empty", "");
      w->add(zip::Member("pieces", pieces, compress));
      w->add("large", large);
    }
    EXPECT_EQ(to_sink.finish(), "");
    EXPECT(in_memory.finish() == sunk);
    const zip::Reader r(sunk, "an archive");
    EXPECT_EQ(r.read("empty"), "");
    EXPECT(r.read("large") == large);
    EXPECT(r.read("pieces") == "hello " + large);
    EXPECT_EQ(r.head("pieces", 8), "hello " + large.substr(0, 2));
    EXPECT_EQ(r.head("large", 5000), large.substr(0, 5000));
    // A byte changed anywhere in the last member, or a member cut short, is an error of a file.
    for (const std::size_t back : {20000u, 2000u, 400u}) {
      std::string damaged = sunk;
      damaged[damaged.size() - back] ^= 0x55;
      EXPECT_THROW(FileError, "is damaged", zip::Reader(damaged, "an archive").read("large"));
    }
  }
}

// The bytes of a file do not depend on the number of threads that compress it.
TEST(archives_by_threads) {
  serializers::DictionarySerializer::Target values;
  for (int i = 0; i < 40; ++i)
    values[text("w", i)] = random::RandomState(static_cast<uint32_t>(i)).randn({1 + i * 37, 50}).astype(float32);
  values["text"] = serializers::npz_bytes({}, false);
  const int before = cpu::thread_count();
  std::string first;
  for (const int threads : {1, 2, 5}) {
    cpu::set_thread_count(threads);
    const std::string bytes = serializers::npz_bytes(values);
    if (first.empty()) first = bytes;
    EXPECT(bytes == first);
  }
  cpu::set_thread_count(before);
  const serializers::NpzFile file(first, "an archive");
  for (int i = 0; i < 40; ++i)
    EXPECT_CLOSE(file.array(text("w", i)), std::get<Array>(values.at(text("w", i))), {.atol = 0, .rtol = 0});
}

TEST(names_that_do_not_fit_the_format) {
  zip::Writer w(false);
  w.add(std::string(65535, 'x'), "1");
  EXPECT_THROW(ValueError, "the name of a member has 65536 bytes", w.add(std::string(65536, 'x'), "2"));
  EXPECT_EQ(zip::Reader(w.finish(), "an archive").read(std::string(65535, 'x')), "1");
}

TEST(byte_orders_that_do_not_exist) {
  zip::Writer w(false);
  std::string npy = make_npy_header("Lf4", {1});
  npy.append(4, '\0');
  w.add("x.npy", npy);
  const serializers::NpzFile file(w.finish(), "an archive");
  EXPECT_THROW(FileError, "arrays of dtype 'Lf4' cannot be read", file.array("x"));
}
