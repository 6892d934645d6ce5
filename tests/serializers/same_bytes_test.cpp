// SPDX-License-Identifier: MIT
// Files have the same bytes, and are read equally, on machines of either byte order.
#include <map>
#include <vector>

#include "chainer/datasets/md5.h"
#include "chainer/datasets/pickle.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/safetensors.h"
#include "chainer/serializers/serializers.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

std::map<std::string, Array> one_of_each() {
  std::map<std::string, Array> out;
  for (const Dtype d : {bool_, int8, int16, int32, int64, uint8, float16, float32, float64})
    out[text(d)] = (arange(6).reshape({2, 3}) * 19).astype(d);
  return out;
}

}  // namespace

TEST(files_of_arrays_have_the_same_bytes_on_every_machine) {
  std::string npy, pickles;
  serializers::DictionarySerializer::Target npz{{"text", "na\xc3\xafve"}};
  for (const auto& [name, a] : one_of_each()) {
    npy += to_npy(a);
    pickles += dataset::make_pickle(a);
    npz.emplace(name, a);
  }
  EXPECT_EQ(dataset::md5(npy), "13c4a9c9413269ff499c4d3431bedeba");
  EXPECT_EQ(dataset::md5(pickles), "48d993265beeaae52bf8ee595b32dbd8");
  EXPECT_EQ(dataset::md5(serializers::npz_bytes(npz, false)), "31e371fab998f044bf997a9deb7917f6");
  EXPECT_EQ(dataset::md5(serializers::safetensors_bytes(one_of_each(), {{"a", "b"}})),
            "fe94a990f7d7aaf939bf4edfd82e4b8f");
}

TEST(files_of_arrays_mean_the_same_on_every_machine) {
  const test::Folder folder;
  const auto path = [&](const char* name) { return folder.path / name; };
  serializers::DictionarySerializer::Target npz;
  for (const auto& [name, a] : one_of_each()) npz.emplace(name, a);
  serializers::write_npz(path("packed.npz"), npz);
  serializers::write_npz(path("plain.npz"), npz, false);
  serializers::write_safetensors(path("all.safetensors"), one_of_each());
  const serializers::NpzFile packed(path("packed.npz")), plain(path("plain.npz"));
  const serializers::SafetensorsFile safetensors(path("all.safetensors"));
  for (const auto& [name, a] : one_of_each()) {
    save_npy(path("a.npy"), a);
    for (const Array& b :
         {load_npy(path("a.npy")), map_npy(path("a.npy")), packed.array(name), plain.array(name), plain.mapped(name),
          safetensors.array(name), dataset::parse_pickle(dataset::make_pickle(a), name)[0]}) {
      EXPECT_EQ(b.dtype(), a.dtype());
      EXPECT_CLOSE(b, a, {.atol = 0, .rtol = 0});
    }
    std::vector<double> elements;
    plain.runs(name, [&](const Array& run) {
      for (const double v : run.to_vector<double>()) elements.push_back(v);
    });
    EXPECT(elements == a.to_vector<double>());
  }
  std::string big = to_npy(array<int32_t>({1, -2}));
  big[big.find('<')] = '>';
  EXPECT_EQ(from_npy(big, "big-endian").to_vector<int32_t>()[0], 1 << 24);
}
