// What the tests of training share: a folder for their files, a small model and its data.
#pragma once
#include <chainer/chainer.h>

#include <unistd.h>

#include <filesystem>
#include <string>

using namespace chainer;
using namespace chainer::training;
namespace fs = std::filesystem;

inline const fs::path folder = fs::temp_directory_path() / text("chainer-training-", ::getpid());
inline const struct Clean {
  Clean() { fs::create_directories(folder); }
  ~Clean() { fs::remove_all(folder); }
} clean;
inline std::string out(const std::string& name) { return (folder / name).string(); }

// Inputs of 784 numbers, and labels that a matrix gives them.
inline AnyDataset teacher_data(int64_t n) {
  random::RandomState r(7);
  Array x = r.rand({n, 784}, float32);
  x = where(x < 0.2, x * 5, zeros({}));
  return datasets::TupleDataset(x, argmax(matmul(x.astype(float64) - 0.1, r.randn({784, 10})), 1).astype(int32));
}

struct MLP : Chain {
  L::Linear l1, l2, l3;
  MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};
