// SPDX-License-Identifier: MIT
// Operators between DequantizeLinear and QuantizeLinear run on integers, and give the results of the operators on
// floats to one step.
#include <cmath>

#include "built.h"
#include "test.h"

using namespace chainer;
using namespace onnx_built;

namespace {

// Builds graphs in which tensors have scales and zero points.
struct Builder {
  explicit Builder(int seed) : draw(seed) {}
  std::vector<onnx::Node> nodes;
  std::vector<std::pair<std::string, Array>> weights;
  random::RandomState draw;
  int made = 0;

  std::string constant(const Array& a) {
    weights.emplace_back("constant" + std::to_string(made++), a);
    return weights.back().first;
  }
  std::string node(const char* type, std::vector<std::string> in, Attributes attributes = {}) {
    const std::string out = "t" + std::to_string(made++);
    nodes.push_back(op(type, std::move(in), {out}, std::move(attributes)));
    return out;
  }
  std::string zero(int v, Dtype d) { return constant(full({}, v, d)); }
  // Integers of x, and what they stand for.
  std::string integers(const std::string& x, float scale, int z, Dtype d) {
    return node("QuantizeLinear", {x, constant(full({}, static_cast<double>(scale), float32)), zero(z, d)});
  }
  std::string numbers(const std::string& q, float scale, int z, Dtype d) {
    return node("DequantizeLinear", {q, constant(full({}, static_cast<double>(scale), float32)), zero(z, d)});
  }
  std::string both(const std::string& x, float scale, int z, Dtype d) {
    return numbers(integers(x, scale, z, d), scale, z, d);
  }
  std::string filters(const Shape& shape, int axis, bool by_channel) {
    const Array W = draw.randint(-127, 128, shape).astype(int8);
    const int64_t n = by_channel ? shape[axis] : 1;
    const Array scales = (draw.uniform(0.5, 1.5, {n}) * 0.01).astype(float32);
    Attributes a;
    if (by_channel) a.push_back(whole("axis", axis));
    const std::string s = constant(by_channel ? scales : scales.reshape({}));
    return node("DequantizeLinear", {constant(W), s, constant(zeros(by_channel ? Shape{n} : Shape{}, int8))}, a);
  }
  std::string bias(int64_t n) {
    return node("DequantizeLinear", {constant(draw.randint(-3000, 3000, {n}).astype(int32)),
                                     constant(full({}, 0.0002, float32)), zero(0, int32)});
  }
};

Array last(onnx::Model& m, const Array& x, bool simplified) {
  const UsingConfig test_mode(&Config::train, false);
  const UsingConfig graph(&Config::enable_backprop, !simplified);
  Array y;
  for (int call = 0; call < 3; ++call) y = m.call(Variables{Variable(x, false)})[0].array();  // recorded and replayed
  return y;
}
double largest_difference(const Array& a, const Array& b) {
  EXPECT(a.shape() == b.shape() && a.dtype() == b.dtype());
  return max(abs(a.astype(float64) - b.astype(float64))).item<double>();
}
// Runs the graph both ways, and returns the number of operators that are left.
std::size_t compare(Builder& b, const std::string& out, Dtype dtype, const Array& x, double tolerance) {
  onnx::Model m = model_of(b.nodes, b.weights, {{"x", float32}}, {{out, dtype}});
  const Array plain = last(m, x, false), fast = last(m, x, true);
  EXPECT(max(plain.astype(float64)).item<double>() > min(plain.astype(float64)).item<double>());
  EXPECT(largest_difference(plain, fast) <= tolerance);
  EXPECT(m.refused_replay().empty());
  return m.operator_count(true);
}

}  // namespace

TEST(quantized_convolutions_run_on_integers) {
  int seed = 0;
  for (const Dtype d : {uint8, int8})
    for (const int64_t channels : {1, 3, 16, 64, 70})
      for (const int64_t groups : {1, 2})
        for (const int64_t kernel : {1, 3})
          for (const int64_t stride : {1, 2}) {
            if (groups > 1 && channels != 64) continue;
            for (const bool relu : {false, true}) {
              Builder b(++seed);
              const int z = d == int8 ? -5 : 120;
              const std::string in = b.both("x", 0.03f, z, d);
              const std::string W = b.filters({34, channels / groups, kernel, kernel}, 0, seed % 3 != 0);
              Attributes a{integers("kernel_shape", {kernel, kernel}), integers("strides", {stride, 1}),
                           integers("pads", {kernel / 2, kernel / 2, kernel / 2, 0}), whole("group", groups)};
              if (seed % 2 && kernel > 1) a.push_back(integers("dilations", {1, 2}));
              std::string y = b.node("Conv", {in, W, b.bias(34)}, a);
              if (relu) y = b.node("Relu", {y});
              const float scale = 0.02f * std::sqrt(static_cast<float>(channels * kernel * kernel));
              const std::string q = b.integers(y, scale, relu ? (d == int8 ? -128 : 0) : z, d);
              const Array x = b.draw.normal(0, 1, {2, channels, 7, 9}, float32);
              EXPECT_EQ(compare(b, q, d, x, 1), std::size_t{2});
              // Floats that no QuantizeLinear follows; the bias is rounded to steps of the sums.
              b.nodes.pop_back();
              EXPECT_EQ(compare(b, y, float32, x, 5e-4), std::size_t{2});
            }
          }
}

// A filter for each channel.
TEST(quantized_depthwise_convolutions_run_on_integers) {
  int seed = 200;
  for (const Dtype d : {uint8, int8})
    for (const int64_t channels : {2, 16, 37, 64, 130, 300})
      for (const auto& [height, kernel] :
           {std::pair<int64_t, int64_t>{1, 1}, {2, 2}, {3, 3}, {3, 3}, {5, 5}, {4, 3}, {1, 3}, {3, 2}}) {
        Builder b(++seed);
        const int z = d == int8 ? -5 : 120;
        Attributes a{integers("strides", {1 + seed % 2, 1 + seed % 3}), integers("pads", {1, 0, 1, 1}),
                     whole("group", channels)};
        if (seed % 5 < 2) a.push_back(integers("dilations", {2, 1 + seed % 5}));
        const std::string y = b.node(
            "Conv",
            {b.both("x", 0.03f, z, d), b.filters({channels, 1, height, kernel}, 0, seed % 3 != 0), b.bias(channels)},
            a);
        const std::string q = b.integers(b.node("Relu", {y}), 0.02f * static_cast<float>(kernel), z - 30, d);
        EXPECT_EQ(compare(b, q, d, b.draw.normal(0, 1, {2, channels, 9, seed % 4 ? 9 : 5}, float32), 1),
                  std::size_t{2});
      }
}

TEST(quantized_products_run_on_integers) {
  int seed = 100;
  for (const Dtype d : {uint8, int8})
    for (const char* type : {"Gemm", "MatMul"})
      for (const int64_t inner : {1, 33, 64, 200})
        for (const int64_t n : {1, 17, 130}) {
          Builder b(++seed);
          const bool gemm = std::string(type) == "Gemm", transposed = gemm && seed % 2;
          const std::string in = b.both("x", 0.03f, d == int8 ? 3 : 120, d);
          const std::string W =
              b.filters(transposed ? Shape{n, inner} : Shape{inner, n}, transposed ? 0 : 1, seed % 3 != 0);
          std::vector<std::string> inputs{in, W};
          if (gemm) inputs.push_back(b.bias(n));
          const std::string y = b.node(type, inputs, transposed ? Attributes{whole("transB", 1)} : Attributes{});
          const std::string q = b.integers(y, 0.05f * std::sqrt(static_cast<float>(inner)), 10, d);
          const Shape shape = gemm ? Shape{5, inner} : Shape{2, 3, inner};
          EXPECT_EQ(compare(b, q, d, b.draw.normal(0, 1, shape, float32), 1), std::size_t{2});
        }
}

// A block of a residual network: nothing is dequantized between its layers.
TEST(quantized_blocks_stay_on_integers) {
  for (const Dtype d : {uint8, int8}) {
    Builder b(7);
    const int z = d == int8 ? -128 : 0;
    const Attributes same{integers("kernel_shape", {3, 3}), integers("pads", {1, 1, 1, 1})};
    std::string h = b.both("x", 0.02f, z + 100, d);
    h = b.both(b.node("Relu", {b.node("Conv", {h, b.filters({32, 5, 3, 3}, 0, true), b.bias(32)}, same)}), 0.05f, z, d);
    h = b.both(b.node("MaxPool", {h},
                      {integers("kernel_shape", {3, 3}), integers("strides", {2, 2}), integers("pads", {1, 1, 1, 1})}),
               0.05f, z, d);
    const std::string branch =
        b.both(b.node("Conv", {h, b.filters({32, 32, 3, 3}, 0, true), b.bias(32)}, same), 0.3f, z + 128, d);
    h = b.both(b.node("Relu", {b.node("Add", {branch, h})}), 0.2f, z, d);
    h = b.both(b.node("GlobalAveragePool", {h}), 0.05f, z, d);
    h = b.both(b.node("Flatten", {h}), 0.05f, z, d);
    const std::string y = b.node("Gemm", {h, b.filters({10, 32}, 0, true), b.bias(10)}, {whole("transB", 1)});
    const Array x = b.draw.normal(0, 1, {2, 5, 9, 8}, float32);
    // QuantizeLinear and seven operators.
    EXPECT_EQ(compare(b, y, float32, x, 0.2), std::size_t{8});
  }
}

// Elementwise operators of one array are a table, whatever their number.
TEST(quantized_elementwise_operators_are_tables) {
  int seed = 300;
  for (const Dtype d : {uint8, int8})
    for (const int64_t n : {5, 63, 64, 65, 1000, 20000})
      for (const int kind : {0, 1, 2, 3, 4, 5}) {
        Builder b(++seed);
        const int z = d == int8 ? -5 : 120;
        const auto number = [&](double v) { return b.constant(full({}, v, float32)); };
        const std::string in = b.both("x", 0.03f, z, d);
        std::string y;
        if (kind == 0) y = b.node("Sigmoid", {in});
        if (kind == 1) y = b.node("Mul", {in, b.node("Sigmoid", {in})});
        if (kind == 2) {  // GELU
          const std::string half = b.node("Mul", {in, number(0.5)});
          y = b.node("Mul", {half, b.node("Add", {b.node("Erf", {b.node("Div", {in, number(1.4142)})}), number(1)})});
        }
        if (kind == 3) y = b.node("Clip", {in, number(-0.5), number(1.5)});
        if (kind == 4) y = b.node("LeakyRelu", {b.node("Neg", {in})}, {onnx::attribute("alpha", 0.25)});
        if (kind == 5) y = b.node("Log", {in});  // NaN and infinities become the lowest integer
        const std::string q = b.integers(y, 0.02f, d == int8 ? 3 : 130, kind % 2 ? d : uint8);
        const Array x = b.draw.normal(0, 1, n == 20000 ? Shape{2, 16, 25, 25} : Shape{n}, float32);
        EXPECT_EQ(compare(b, q, kind % 2 ? d : uint8, kind == 5 ? abs(x) + 0.5f : x, 0), std::size_t{2});
      }
}

// A result of a table that another operator reads in float32 is computed for it.
TEST(quantized_tables_next_to_floats) {
  Builder b(400);
  const std::string in = b.both("x", 0.03f, 120, uint8), s = b.node("Sigmoid", {in});
  const std::string y = b.numbers(b.integers(b.node("Mul", {in, s}), 0.02f, 100, uint8), 0.02f, 100, uint8);
  const std::string out = b.node("Add", {b.node("ReduceMax", {s}, {whole("keepdims", 1)}), y});
  EXPECT_EQ(compare(b, out, float32, b.draw.normal(0, 1, {4, 30}, float32), 1e-6), std::size_t{7});
  // Two arrays, and constants that are not single numbers, are no table.
  Builder other(401);
  const std::string a = other.both("x", 0.03f, 120, uint8),
                    w = other.node("Mul", {a, other.constant(other.draw.normal(0, 1, {30}, float32))});
  EXPECT_EQ(compare(other, other.integers(w, 0.02f, 100, uint8), uint8, other.draw.normal(0, 1, {4, 30}, float32), 0),
            std::size_t{4});
}

TEST(quantized_products_of_two_arrays_and_joined_arrays) {
  int seed = 500;
  for (const Dtype d : {uint8, int8})
    for (const Dtype e : {uint8, int8})
      for (const char* type : {"Mul", "Add", "Concat"})
        for (const bool gate : {false, true}) {
          const bool joined = std::string(type) == "Concat";
          if (joined && gate) continue;
          Builder b(++seed);
          const auto zero = [&](int z, Dtype t) { return t == int8 ? z - 128 : z; };
          std::string x = b.both("x", 0.03f, zero(120, d), d);
          if (gate)  // one number for each channel
            x = b.both(b.node("GlobalAveragePool", {x}), 0.01f, zero(100, d), d);
          const std::string z = b.both(b.node("Sigmoid", {b.both("x", 0.03f, zero(110, d), d)}), 0.004f, zero(3, e), e);
          std::string y = joined     ? b.node(type, {x, z, x}, {whole("axis", 1)})
                          : seed % 2 ? b.node(type, {x, z})
                                     : b.node(type, {z, x});
          if (seed % 3) y = b.node("Relu", {y});
          const std::string q = b.integers(y, 0.02f, zero(40, d), d);
          const std::size_t count = gate ? 5 : 4;
          EXPECT_EQ(compare(b, q, d, b.draw.normal(0, 1, {2, 19, 5, 7}, float32), 1), count);
        }
}

TEST(quantized_operators_of_files) {
  Builder b(9);
  const Array W = b.draw.randint(-127, 128, {6, 3, 3, 2}).astype(int8),
              bias = b.draw.randint(-900, 900, {6}).astype(int32);
  const auto number = [&](double v) { return b.constant(full({}, v, float32)); };
  const Array x = b.draw.normal(0, 1, {2, 3, 6, 5}, float32);
  const auto convolution = [&](const Array& filters, const std::string& zero) {
    return b.node("QLinearConv",
                  {b.node("QuantizeLinear", {"x", number(0.03), b.zero(100, uint8)}), number(0.03), b.zero(100, uint8),
                   b.constant(filters), number(0.02), zero, number(0.15), b.zero(90, uint8), b.constant(bias)},
                  {integers("pads", {1, 0, 1, 0})});
  };
  const std::string fast = convolution(W, b.zero(0, int8));
  const std::string slow = convolution((W.astype(int32) + 128).astype(uint8), b.zero(128, uint8));
  const auto run = [&](const std::string& out, Dtype d) {
    onnx::Model m = model_of(b.nodes, b.weights, {{"x", float32}}, {{out, d}});
    return last(m, x, true);
  };
  EXPECT(largest_difference(run(fast, uint8), run(slow, uint8)) <= 1);
  const std::string q = b.node("QuantizeLinear", {"x", number(0.03), b.zero(100, uint8)});
  const std::string sums = b.node("ConvInteger", {q, b.constant(W), b.zero(100, uint8), b.zero(0, int8)});
  const std::string others = b.node(
      "ConvInteger", {q, b.constant((W.astype(int32) + 128).astype(uint8)), b.zero(100, uint8), b.zero(128, uint8)});
  EXPECT_EQ(largest_difference(run(sums, int32), run(others, int32)), 0);
}
