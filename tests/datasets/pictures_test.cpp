// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "chainer/core/system/file.h"
#include "chainer/datasets/image.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

const std::string kPictures = TEST_DATA "images/";

bool readable(const std::string& name) {
  const std::string kind = name.substr(name.size() - 4);
  if (kind == ".jpg") return dataset::has_jpeg();
  if (kind == ".png") return dataset::has_png();
  return kind == ".bmp" || kind == ".ppm" || kind == ".pgm";
}

}  // namespace

TEST(pictures_are_what_the_release_reads) {
  const serializers::NpzFile expected(kPictures + "expected.npz");
  int read = 0;
  for (const auto& entry : fs::directory_iterator(kPictures)) {
    const std::string name = entry.path().filename().string();
    if (!readable(name)) continue;
    Array want = expected.array(name);
    want = want.ndim() == 2 ? want.reshape({1, want.shape()[0], want.shape()[1]}) : want.transpose({2, 0, 1});
    for (Dtype dtype : {int32, float32, float64})
      EXPECT_CLOSE(dataset::read_image(entry.path(), dtype), want.astype(dtype), {.atol = 0, .rtol = 0});
    ++read;
  }
  EXPECT(read >= 6);
}

TEST(image_datasets) {
  const test::Folder folder;
  write_file(folder.path / "list.txt", "rgb.bmp\n  grey.pgm  \n");
  const datasets::ImageDataset d((folder.path / "list.txt"), {.root = kPictures});
  EXPECT_EQ(d.size(), 2);
  EXPECT_EQ(d.get(0)[0].dtype(), float32);
  EXPECT_EQ(d.get(0)[0].shape(), (Shape{3, 21, 30}));
  EXPECT_EQ(d.get(1)[0].shape(), (Shape{1, 21, 30}));
  EXPECT_EQ(datasets::ImageDataset({"rgb.bmp"}, {.root = kPictures, .dtype = uint8}).get(0)[0].dtype(), uint8);
  write_file(folder.path / "pairs.txt", "rgb.bmp 3\ngrey.pgm\t-1\n");
  const datasets::LabeledImageDataset l(folder.path / "pairs.txt", {.root = kPictures});
  EXPECT_EQ(l.get(1)[1].item<int>(), -1);
  EXPECT_EQ(l.get(0)[1].dtype(), int32);
  EXPECT_EQ(l.get(0)[1].ndim(), 0);
  EXPECT_EQ(
      datasets::LabeledImageDataset({{"rgb.ppm", 7}}, {.root = kPictures, .label_dtype = int64}).get(0)[1].dtype(),
      int64);
  write_file(folder.path / "bad.txt", "rgb.bmp 3\ngrey.pgm three\n");
  EXPECT_THROW(ValueError, "line 2: a path and an integer", datasets::LabeledImageDataset(folder.path / "bad.txt"));
  EXPECT_THROW(FileError, "missing.bmp", datasets::ImageDataset({"missing.bmp"}).get(0));
  EXPECT_THROW(FileError, "expected.npz: not a picture of a known format",
               datasets::ImageDataset({"expected.npz"}, {.root = kPictures}).get(0));
}

TEST(zipped_pictures) {
  const test::Folder folder;
  const auto archive = [&](const std::string& name, std::vector<std::string> members) {
    zip::Writer w(true);
    w.add("folder/", "");
    for (const std::string& m : members) w.add("folder/" + m, read_file(kPictures + m));
    write_file(folder.path / name, w.finish());
    return folder.path / name;
  };
  const auto a = archive("a.zip", {"rgb.ppm", "grey.bmp"}), b = archive("b.zip", {"bits.bmp"});
  const datasets::ZippedImageDataset z(a);
  EXPECT_EQ(z.size(), 2);
  EXPECT_EQ(z.names()[0], "folder/rgb.ppm");  // in the order of the archive
  EXPECT_CLOSE(z.get(1)[0], dataset::read_image(kPictures + "grey.bmp", float32));
  EXPECT_CLOSE(z.get("folder/rgb.ppm"), z.get(0)[0]);
  EXPECT_THROW(KeyError, "no member named 'folder/x'", z.get("folder/x"));
  const AnyDataset m = datasets::MultiZippedImageDataset({a, b});
  EXPECT_EQ(m.size(), 3);
  EXPECT_CLOSE(m[2][0], dataset::read_image(kPictures + "bits.bmp", float32));
  EXPECT_CLOSE(m[1][0], z.get(1)[0]);
  const datasets::LabeledZippedImageDataset l(a, {{"folder/grey.bmp", 4}}, {.dtype = uint8});
  EXPECT_EQ(l.get(0)[1].item<int>(), 4);
  EXPECT_EQ(l.get(0)[0].dtype(), uint8);
  zip::Writer w(false);
  w.add("no.jpg", "no picture");
  write_file(folder.path / "c.zip", w.finish());
  EXPECT_THROW(FileError, "c.zip, 'no.jpg': not a picture", datasets::ZippedImageDataset(folder.path / "c.zip").get(0));
}

TEST(damaged_pictures_are_refused) {
  random::RandomState r(0);
  for (const auto& entry : fs::directory_iterator(kPictures)) {
    const std::string name = entry.path().filename().string();
    if (!readable(name)) continue;
    const std::string good = read_file(entry.path());
    int refused = 0, tried = 0;
    for (std::size_t n = 0; n + 24 < good.size(); n += 1 + good.size() / 50) {  // the last bytes may be padding
      ++tried;
      try {
        (void)dataset::decode_picture(good.substr(0, n), name, tried % 2 * 5);  // whole, and at a smaller scale
      } catch (const FileError& e) { refused += std::string(e.what()).find(name) != std::string::npos; }
    }
    EXPECT_EQ(refused, tried);
    for (int i = 0; i < 300; ++i) {  // flipped bytes must give an error or a picture
      std::string bad = good;
      for (int k = 0; k < 3; ++k) bad[r.next_interval(bad.size() - 1)] = static_cast<char>(r.next_uint32());
      try {
        const auto p = dataset::decode_picture(bad, name, i % 2 * 5);
        EXPECT_EQ(static_cast<int64_t>(p.bytes.size() + p.words.size()), p.height * p.width * p.channels);
      } catch (const FileError&) {}
    }
  }
  // PNM pictures of all kinds, as Pillow reads them.
  const auto pnm = [](const std::string& bytes) {
    const dataset::Picture p = dataset::decode_picture(bytes, "pnm");
    std::vector<int> out(p.bytes.begin(), p.bytes.end());
    out.insert(out.end(), p.words.begin(), p.words.end());
    return out;
  };
  using Values = std::vector<int>;
  EXPECT(pnm("P1\n# made by hand\n3 2\n1 0 1\n010") == (Values{0, 1, 0, 1, 0, 1}));
  EXPECT(pnm(std::string("P4 3 2\n\xa0\x40", 9)) == (Values{0, 1, 0, 1, 0, 1}));
  EXPECT(pnm("P2 2 2 15 0 5\n10 15") == (Values{0, 85, 170, 255}));
  EXPECT(pnm("P2 2 1 1000 1000 1") == (Values{65535, 66}));
  EXPECT(pnm("P3 1 1 255 1 2 3\n") == (Values{1, 2, 3}));
  EXPECT(pnm(std::string("P5 2 1 100 \x32\x64", 13)) == (Values{128, 255}));
  EXPECT(pnm(std::string("P6 1 1 1023 \x03\xff\x00\x00\x02\x00", 18)) == (Values{255, 0, 128}));
  EXPECT_THROW(FileError, "a value of 16 where 15 is the largest", dataset::decode_picture("P2 1 1 15 16", "pnm"));
  EXPECT_THROW(FileError, "a number is missing", dataset::decode_picture("P2 1 1 15 x", "pnm"));
  EXPECT_THROW(FileError, "ends early", dataset::decode_picture("P2 2 1 15 3", "pnm"));
  EXPECT_THROW(FileError, "neither 0 nor 1", dataset::decode_picture("P1 1 1 2", "pnm"));
  EXPECT_THROW(FileError, "values up to 0", dataset::decode_picture("P5 1 1 0 1", "pnm"));
  EXPECT_THROW(FileError, "known format", dataset::decode_picture("P1zza", "text"));
  for (const char* other : {"", "P", "P5", "XX1 1 255 a", "P7 1 1 255 a"})
    EXPECT_THROW(FileError, "not a valid PNM picture", dataset::decode_pnm(other, "pnm"));
  EXPECT_THROW(FileError, "not a valid BMP picture", dataset::decode_bmp(std::string(100, '\1'), "bmp"));
  // Headers with sizes beyond the data or the limit.
  EXPECT_THROW(FileError, "2^27", dataset::decode_picture("P6 1000000 1000000 255\n", "huge"));
  EXPECT_THROW(FileError, "ends early", dataset::decode_picture("P6 10 10 255\nxyz", "short"));
  EXPECT_THROW(FileError, "the file is empty", dataset::decode_picture("", "empty"));
}

TEST(encoded_pictures_come_back) {
  const Array x = dataset::read_image(kPictures + "rgb.ppm").transpose({1, 2, 0}).copy();
  if (dataset::has_png()) {
    const auto p = dataset::decode_picture(dataset::encode_png(x), "png");
    EXPECT_CLOSE(dataset::picture_array(p, uint8).transpose({1, 2, 0}), x, {.atol = 0, .rtol = 0});
    EXPECT_THROW(ValueError, "(21, 30, 3) of float32", dataset::encode_png(x.astype(float32)));
  }
  if (dataset::has_jpeg()) {
    const auto p = dataset::decode_picture(dataset::encode_jpeg(x, 95), "jpeg");
    // JPEG stores colours at half the resolution.
    const Array error = dataset::picture_array(p, float32).transpose({1, 2, 0}) - x.astype(float32);
    EXPECT(mean(error * error).item<double>() < 100);
    EXPECT_THROW(ValueError, "quality", dataset::encode_jpeg(x, 0));
  }
}

TEST(jpeg_pictures_are_decoded_at_smaller_scales) {
  if (!dataset::has_jpeg()) return;
  const test::Folder folder;
  const Array rows = arange(48).reshape({48, 1, 1}), columns = arange(81).reshape({1, 81, 1});
  const Array x = broadcast_to(rows * 2 + columns, {48, 81, 3}).astype(uint8).copy();
  const std::string file = dataset::encode_jpeg(x, 95);
  const Array whole = dataset::picture_array(dataset::decode_picture(file, "x"), float32);
  // A warning about the version in a complete picture.
  std::string version = file;
  version[version.find("JFIF") + 5] = 2;
  EXPECT_CLOSE(dataset::picture_array(dataset::decode_picture(version, "x"), float32), whole);
  // The least side, and the height and width of the result.
  const std::vector<std::array<int64_t, 3>> cases = {{0, 48, 81},  {49, 48, 81}, {25, 48, 81},
                                                     {24, 24, 41}, {13, 24, 41}, {12, 12, 21},
                                                     {7, 12, 21},  {6, 6, 11},   {1, 6, 11}};
  for (const auto& [least, height, width] : cases) {
    const Array y = dataset::picture_array(dataset::decode_picture(file, "x", least), float32);
    EXPECT_EQ(y.shape(), (Shape{3, height, width}));
    // Within the blocks that a pixel stands for (the last column's is not full).
    const Array mean = transforms::resize(whole[{Slice(), Slice(), Slice(0, 80)}], height, 80 * height / 48);
    EXPECT_CLOSE(y[{Slice(), Slice(1, height - 1), Slice(1, width - 2)}],
                 mean[{Slice(), Slice(1, height - 1), Slice(1, width - 2)}], {.atol = 4});
  }
  EXPECT_THROW(ValueError, "x: least_side must not be negative, got -1", dataset::decode_picture(file, "x", -1));
  write_file(folder.path / "a.jpg", file);
  zip::Writer w(false);
  w.add("a.jpg", file);
  write_file(folder.path / "a.zip", w.finish());
  const Shape half{3, 24, 41};
  const std::vector<std::pair<std::string, int64_t>> labels = {{"a.jpg", 1}};
  EXPECT_EQ(datasets::ImageDataset({"a.jpg"}, {.root = folder.path, .least_side = 20}).get(0)[0].shape(), half);
  EXPECT_EQ(datasets::LabeledImageDataset(labels, {.root = folder.path, .least_side = 20}).get(0)[0].shape(), half);
  const fs::path archive = folder.path / "a.zip";
  EXPECT_EQ(datasets::ZippedImageDataset(archive, {.least_side = 20}).get(0)[0].shape(), half);
  EXPECT_EQ(datasets::MultiZippedImageDataset({archive}, {.least_side = 20}).get(0)[0].shape(), half);
  EXPECT_EQ(datasets::LabeledZippedImageDataset(archive, labels, {.least_side = 20}).get(0)[0].shape(), half);
  // Other formats have no scales.
  EXPECT_EQ(dataset::read_image(kPictures + "rgb.ppm", uint8, 5).shape(), (Shape{3, 21, 30}));
}

// Against sums over the windows, for widths around the number of columns that are computed at once.
TEST(resized_pictures_are_weighted_means) {
  random::RandomState r(3);
  for (const int64_t width : {1, 31, 32, 33, 64, 70})
    for (const int64_t to : {1, 16, 31, 32, 33, 65}) {
      const Array x = r.uniform(0, 1, {2, 9, width}, float64), y = transforms::resize(x, 4, to);
      const auto weights = [](int64_t in, int64_t out) {
        Array w = zeros({out, in}, float64);
        const double scale = static_cast<double>(in) / static_cast<double>(out), support = std::max(1., scale);
        for (int64_t o = 0; o < out; ++o)
          for (int64_t i = 0; i < in; ++i) {
            const double distance = static_cast<double>(i) + 0.5 - (static_cast<double>(o) + 0.5) * scale;
            w.set({o, i}, array(std::max(0., 1 - std::abs(distance) / support)));
          }
        return w / sum(w, 1, true);
      };
      for (int64_t c = 0; c < 2; ++c)
        EXPECT_CLOSE(y[c], matmul(matmul(weights(9, 4), x[c]), weights(width, to).transpose()), {.atol = 1e-12});
      EXPECT_CLOSE(transforms::resize(x.astype(float32), 4, to), y.astype(float32), {.atol = 1e-6});
    }
}

TEST(pictures_are_prepared) {
  const serializers::NpzFile expected(kPictures + "expected.npz");
  const Array x = expected.array("big");
  EXPECT_CLOSE(transforms::resize(x, 7, 9), expected.array("smaller"), {.atol = 1e-3});
  EXPECT_CLOSE(transforms::resize(x, 27, 31), expected.array("larger"), {.atol = 1e-3});
  EXPECT_CLOSE(transforms::resize(x, 27, 31, {.antialias = false}),
               F::resize_images(expand_dims(x, 0), {27, 31}).array()[0]);
  EXPECT_EQ(transforms::scale(x, 10).shape(), (Shape{3, 10, 12}));
  EXPECT_THROW(ValueError, "cannot have a side of 9223372036854775807",
               transforms::scale(x, std::numeric_limits<int64_t>::max()));
  EXPECT_THROW(MemoryError, "", transforms::resize(x, int64_t(1) << 50, 3));
  EXPECT_EQ(transforms::resize(x.astype(float64), 20, 25).dtype(), float64);
  EXPECT_CLOSE(transforms::resize(x, 20, 25), x, {.atol = 1e-4});
  const Array c = arange(12).reshape({1, 3, 4});
  EXPECT_CLOSE(transforms::crop(c, 1, 2, 2, 2), array({{{6, 7}, {10, 11}}}));
  EXPECT_CLOSE(transforms::center_crop(c, 1, 2), array({{{5, 6}}}));
  EXPECT_CLOSE(transforms::flip(c)[{0, 0}], array({3, 2, 1, 0}));
  EXPECT_THROW(ValueError, "does not fit into a picture of 3 x 4", transforms::crop(c, 2, 0, 2, 2));
  EXPECT_THROW(ValueError, "does not fit into a picture", transforms::random_crop(c, 4, 4));
  EXPECT_THROW(ValueError, "cannot become 0 x 3", transforms::resize(x, 0, 3));
  EXPECT_EQ(transforms::random_shift(c, 2).shape(), c.shape());
  EXPECT_CLOSE(transforms::subtract_mean(c.astype(float32), array({5.f}))[{0, 1, 1}], array(0.f));
  const AnyDataset d = datasets::TupleDataset(stack({c, c + 2}), array({0, 1}));
  EXPECT_CLOSE(transforms::compute_mean(d), (c + 1).astype(float32));
  // The same visit gives the same crop, other visits give others.
  const auto crop_of = [&](int64_t visit) {
    dataset::begin_example(visit);
    return transforms::random_flip(transforms::random_shift(c, 2)).to_vector<int64_t>();
  };
  EXPECT(crop_of(5) == crop_of(5));
  int different = 0;
  for (int64_t i = 0; i < 20; ++i) different += crop_of(i) != crop_of(i + 1);
  EXPECT(different > 12);
}

TEST(pictures_are_written_without_a_library) {
  const Array two = arange(0, 2 * 3 * 5 * 2).reshape({2, 3, 5, 2}).astype(uint8);
  for (const char* name : {"a.ppm", "b.pgm"}) {
    const fs::path file = test::folder / name;
    dataset::write_image(file, two[1]);
    EXPECT_CLOSE(dataset::read_image(file, uint8), two[1]);
    dataset::write_image(file, two[1][0]);
    EXPECT_CLOSE(dataset::read_image(file, uint8), two[1][Slice(0, 1)]);
  }
}

TEST(pictures_and_grids_are_written) {
  if (!dataset::has_png()) return;
  const fs::path file = test::folder / "grid.png";
  const auto read = [&] { return dataset::read_image(file, uint8); };
  const Array two = arange(0, 2 * 3 * 2 * 2).reshape({2, 3, 2, 2}).astype(uint8);
  dataset::write_image(file, two[1]);
  EXPECT_CLOSE(read(), two[1]);
  dataset::write_image(file, two[1][0]);  // grey
  EXPECT_CLOSE(read(), two[1][Slice(0, 1)]);
  // Three pictures in two columns with a gap of one pixel: the free place is white like the gaps.
  const Array three = concatenate({two, two[Slice(0, 1)] + 100}, 0).astype(uint8);
  dataset::write_grid(file, three, 2, 1);
  Array expected = full({3, 5, 5}, 255, uint8);
  expected.set({Slice(), Slice(0, 2), Slice(0, 2)}, three[0]);
  expected.set({Slice(), Slice(0, 2), Slice(3, 5)}, three[1]);
  expected.set({Slice(), Slice(3, 5), Slice(0, 2)}, three[2]);
  EXPECT_CLOSE(read(), expected);
  dataset::write_grid(file, three);  // the default number of columns makes the grid about square
  EXPECT_EQ(read().shape(), (Shape{3, 4, 4}));
  // Floating values are in 0 ... 1 and clipped.
  dataset::write_image(file, array({{0.f, 0.5f, 1.f}, {-3.f, 7.f, std::nanf("")}}));
  EXPECT_CLOSE(read()[0], array({{0, 128, 255}, {0, 255, 0}}).astype(uint8));
  EXPECT_THROW(ValueError, "write_image: one picture (height, width) or (channels, height, width) is expected",
               dataset::write_image(file, two));
  EXPECT_THROW(ValueError, "got shape (2, 4, 2, 2)", dataset::write_grid(file, zeros({2, 4, 2, 2})));
  EXPECT_THROW(ValueError, "floating from 0 to 1, not int64", dataset::write_image(file, zeros({2, 2}, int64)));
  EXPECT_THROW(ValueError, "must not be negative", dataset::write_grid(file, two, -1));
  EXPECT_THROW(FileError, "none/x.png", dataset::write_image(test::folder / "none" / "x.png", two[0]));
  if (!dataset::has_jpeg()) return;
  dataset::write_image(test::folder / "x.JPG", full({3, 16, 16}, 0.5, float32));
  EXPECT_EQ(read_file(test::folder / "x.JPG").substr(0, 2), "\xff\xd8");
}
