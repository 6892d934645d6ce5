// SPDX-License-Identifier: MIT
// Imported models with control flow, sequences and functions.
#include "built.h"
#include "drawn.h"
#include "test.h"

using namespace chainer;
using namespace onnx_built;

namespace {

onnx::ValueInfo tensor(const std::string& name, Dtype dtype = float32) {
  return {name, onnx::element_type(dtype), false, {}};
}
onnx::Attribute body(std::string name, onnx::Graph g) {
  onnx::Attribute a;
  a.name = std::move(name);
  a.kind = onnx::Attribute::Kind::graph;
  a.graph = std::make_shared<onnx::Graph>(std::move(g));
  return a;
}
onnx::Graph graph(std::vector<onnx::Node> nodes, std::vector<onnx::ValueInfo> in, std::vector<onnx::ValueInfo> out,
                  std::vector<std::pair<std::string, Array>> constants = {}) {
  onnx::Graph g;
  g.nodes = std::move(nodes);
  g.inputs = std::move(in);
  g.outputs = std::move(out);
  g.initializers = std::move(constants);
  return g;
}
onnx::ModelFile file_of(std::vector<onnx::Node> nodes, const Named& in, const Named& out,
                        std::vector<std::pair<std::string, Array>> weights = {}, int64_t opset = 18) {
  onnx::ModelFile f;
  f.ir_version = 8;
  f.opsets[""] = opset;
  f.nodes = std::move(nodes);
  f.initializers = std::move(weights);
  for (const auto& [name, dtype] : in) f.inputs.push_back(tensor(name, dtype));
  for (const auto& [name, dtype] : out) f.outputs.push_back(tensor(name, dtype));
  return f;
}
Variables run(onnx::Model& model, const Variables& in) { return model.call(in); }
onnx::Model model_from(const onnx::ModelFile& f) { return onnx::Model::from_bytes(onnx::write_model(f)); }

// y = x W if the condition is true, x V + b otherwise; both branches name their tensors alike.
onnx::ModelFile branches() {
  onnx::Graph yes = graph({op("MatMul", {"x", "W"}, {"h"}), op("Identity", {"h"}, {"r"})}, {}, {tensor("r")},
                          {{"W", array({{2.f, 0.f}, {0.f, 2.f}})}});
  onnx::Graph no = graph({op("MatMul", {"x", "V"}, {"h"}), op("Add", {"h", "b"}, {"r"})}, {}, {tensor("r")},
                         {{"V", array({{0.f, 1.f}, {1.f, 0.f}})}, {"b", array({10.f, 20.f})}});
  return file_of({op("If", {"c"}, {"y"}, {body("then_branch", yes), body("else_branch", no)})},
                 {{"x", float32}, {"c", bool_}}, {{"y", float32}});
}

// y = (((x * 2) * 2) ...), n times, and all products.
onnx::ModelFile doubling() {
  onnx::Graph g =
      graph({op("Mul", {"v", "two"}, {"w"}), op("Identity", {"go"}, {"still"}), op("Identity", {"w"}, {"row"})},
            {tensor("i", int64), tensor("go", bool_), tensor("v")},
            {tensor("still", bool_), tensor("w"), tensor("row")}, {{"two", array(2.f)}});
  return file_of({op("Loop", {"n", "", "x"}, {"y", "rows"}, {body("body", g)})}, {{"x", float32}, {"n", int64}},
                 {{"y", float32}, {"rows", float32}});
}

}  // namespace

TEST(a_branch_is_chosen_at_run_time) {
  onnx::Model model = model_from(branches());
  const Variable x(array({{1.f, 2.f}}), true), yes(array(true), false), no(array(false), false);
  for (int call = 0; call < 4; ++call) {
    const UsingConfig test_mode(&Config::train, false);
    const UsingConfig graph(&Config::enable_backprop, call == 0);
    EXPECT(run(model, {x, yes})[0].array().to_vector<float>() == (std::vector<float>{2, 4}));
    EXPECT(run(model, {x, no})[0].array().to_vector<float>() == (std::vector<float>{12, 21}));
  }
  EXPECT(!model.refused_replay().empty());
  // The weights of both branches are parameters, and the branch that ran has gradients.
  std::size_t count = 0;
  for (const auto& p : model.params()) count += static_cast<std::size_t>(p.array().size());
  EXPECT_EQ(count, std::size_t(10));
  Variable y = F::sum(run(model, {x, no})[0]);
  y.backward();
  EXPECT(x.grad().to_vector<float>() == (std::vector<float>{1, 1}));
}

TEST(a_known_branch_replaces_the_operator) {
  onnx::ModelFile f = branches();
  f.inputs.pop_back();
  f.initializers.push_back({"c", array(false)});
  onnx::Model model = model_from(f);
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  const Array x = array({{1.f, 2.f}});
  for (int call = 0; call < 3; ++call) EXPECT(model(x).array().to_vector<float>() == (std::vector<float>{12, 21}));
  EXPECT(model.refused_replay().empty());
  EXPECT_EQ(model.operator_count(true), std::size_t(1));  // the sum is the third input of the product
}

TEST(rows_without_repetitions_have_the_shape_of_a_trial) {
  onnx::Model model = model_from(doubling());
  const Variable none(array(int64_t(0)), false);
  for (const bool train : {true, false}) {
    const UsingConfig mode(&Config::train, train);
    const Variables y = run(model, {drawn({2, 3}), none});
    EXPECT_CLOSE(y[0].array(), drawn({2, 3}).array());
    EXPECT_EQ(y[1].shape(), Shape({0, 2, 3}));
  }
  const onnx::Graph twice =
      graph({op("MatMul", {"v", "W"}, {"r"})}, {tensor("v")}, {tensor("r")}, {{"W", ones({3, 5})}});
  onnx::Model scan = model_from(file_of({op("Scan", {"x"}, {"y"},
                                            {body("body", twice), whole("num_scan_inputs", 1),
                                             integers("scan_input_axes", {1}), integers("scan_output_axes", {-1})})},
                                        {{"x", float32}}, {{"y", float32}}));
  EXPECT_EQ(run(scan, {Variable(zeros({2, 0, 3}), false)})[0].shape(), Shape({2, 5, 0}));
  // A body that cannot run tells nothing.
  EXPECT_EQ(run(scan, {Variable(zeros({2, 0, 4}), false)})[0].shape(), Shape({0}));
}

TEST(loops_carry_values_and_collect_rows) {
  onnx::Model model = model_from(doubling());
  const UsingConfig test_mode(&Config::train, false);
  for (const int64_t n : {3, 1, 3, 3, 0}) {
    const Variable x(array({1.f, -1.5f}), true);
    Variables y = run(model, {x, Variable(array(n), false)});
    const auto factor = static_cast<float>(int64_t(1) << n);
    EXPECT(y[0].array().to_vector<float>() == (std::vector<float>{factor, -1.5f * factor}));
    EXPECT_EQ(y[1].shape()[0], n);
    if (n == 0) continue;
    Variable sum = F::sum(y[1]);
    sum.backward();
    EXPECT(x.grad().to_vector<float>() == (std::vector<float>{2 * factor - 2, 2 * factor - 2}));
  }
  EXPECT_THROW(ValueError, "repetitions", run(model, {array({1.f}), array(int64_t(1) << 40)}));
}

TEST(scans_go_backwards_and_along_other_axes) {
  // Cumulative sums of columns from the last to the first.
  onnx::Graph g = graph({op("Add", {"s", "x"}, {"t"}), op("Identity", {"t"}, {"row"})}, {tensor("s"), tensor("x")},
                        {tensor("t"), tensor("row")});
  onnx::Attribute back;
  back.name = "scan_input_directions";
  back.kind = onnx::Attribute::Kind::integers;
  back.integers = {1};
  onnx::Attribute axis = back, out = back;
  axis.name = "scan_input_axes";
  out.name = "scan_output_axes";
  onnx::Model model = model_from(
      file_of({op("Scan", {"s0", "m"}, {"s", "rows"}, {body("body", g), whole("num_scan_inputs", 1), back, axis, out})},
              {{"s0", float32}, {"m", float32}}, {{"s", float32}, {"rows", float32}}));
  const UsingConfig test_mode(&Config::train, false);
  const Variables y = run(model, {zeros({2}), array({{1.f, 2.f, 3.f}, {10.f, 20.f, 30.f}})});
  EXPECT(y[0].array().to_vector<float>() == (std::vector<float>{6, 60}));
  EXPECT(y[1].array().to_vector<float>() == (std::vector<float>{3, 5, 6, 30, 50, 60}));
}

TEST(sequences_pass_through_loops) {
  // Appends x * i to a sequence, then joins it.
  onnx::Graph g =
      graph({op("Cast", {"i"}, {"f"}, {whole("to", 1)}), op("Mul", {"x", "f"}, {"p"}),
             op("SequenceInsert", {"list", "p"}, {"longer"}), op("Identity", {"go"}, {"still"})},
            {tensor("i", int64), tensor("go", bool_), tensor("list")}, {tensor("still", bool_), tensor("longer")});
  onnx::Model model = model_from(
      file_of({op("SequenceEmpty", {}, {"none"}), op("Loop", {"n", "", "none"}, {"list"}, {body("body", g)}),
               op("SequenceAt", {"list", "last"}, {"z"}), op("ConcatFromSequence", {"list"}, {"y"}, {whole("axis", 0)}),
               op("SequenceLength", {"list"}, {"count"})},
              {{"x", float32}, {"n", int64}}, {{"y", float32}, {"z", float32}, {"count", int64}},
              {{"last", array(int64_t(-1))}}));
  for (const bool backprop : {true, false, false, false}) {
    const UsingConfig test_mode(&Config::train, false);
    const UsingConfig graph(&Config::enable_backprop, backprop);
    const Variables y = run(model, {array({1.f, 2.f}), array(int64_t(3))});
    EXPECT(y[0].array().to_vector<float>() == (std::vector<float>{0, 0, 1, 2, 2, 4}));
    EXPECT(y[1].array().to_vector<float>() == (std::vector<float>{2, 4}));
    EXPECT_EQ(y[2].item<int64_t>(), int64_t(3));
  }
}

TEST(functions_are_written_out_with_attributes) {
  // twice(a; alpha) = LeakyRelu(LeakyRelu(a, alpha), alpha), with a default for alpha.
  onnx::Function twice;
  twice.name = "twice";
  twice.domain = "ours";
  twice.inputs = {"a"};
  twice.outputs = {"b"};
  twice.opset = 13;
  onnx::Attribute slope;
  slope.name = "alpha";
  slope.kind = onnx::Attribute::Kind::real;
  slope.real = 0.5;
  twice.defaults = {slope};
  slope.name = "alpha";
  slope.reference = "alpha";
  twice.nodes = {op("LeakyRelu", {"a"}, {"t"}, {slope}), op("LeakyRelu", {"t"}, {"b"}, {slope})};
  onnx::Function both = twice;  // calls the first
  both.name = "both";
  both.defaults.clear();
  onnx::Node inner = op("twice", {"a"}, {"b"});
  inner.domain = "ours";
  both.nodes = {inner};
  onnx::Node first = op("twice", {"x"}, {"t"}), second = op("both", {"t"}, {"y"});
  first.domain = second.domain = "ours";
  onnx::Attribute given = slope;
  given.reference.clear();
  given.real = 0.25;
  first.attributes = {given};
  onnx::ModelFile f = file_of({first, second}, {{"x", float32}}, {{"y", float32}});
  f.opsets["ours"] = 1;
  f.functions = {twice, both};
  onnx::Model model = model_from(f);
  EXPECT_EQ(model.operator_count(), std::size_t(4));
  EXPECT(model(array({-1.f, 3.f})).array().to_vector<float>() == (std::vector<float>{-1.f / 64, 3}));
  f.functions[1].nodes[0].op_type = "both";  // calls itself
  EXPECT_THROW(ValueError, "calls itself", model_from(f));
}

// Forty functions, each of which calls the next one twice, and the last does nothing.
TEST(functions_that_grow_are_bounded) {
  onnx::Node call = op("f0", {"x"}, {"y"});
  call.domain = "ours";
  onnx::ModelFile f = file_of({call}, {{"x", float32}}, {{"y", float32}});
  f.opsets["ours"] = 1;
  for (int i = 0; i < 40; ++i) {
    onnx::Function g;
    g.name = text("f", i);
    g.domain = "ours";
    g.inputs = {"a"};
    g.outputs = {"b"};
    call.op_type = text("f", i + 1);
    call.inputs = {"a"};
    call.outputs = {"b"};
    if (i < 39) g.nodes = {call, call};
    f.functions.push_back(g);
  }
  EXPECT_THROW(ValueError, "calls of functions", model_from(f));
}

TEST(bodies_that_do_not_fit_are_errors) {
  onnx::ModelFile f = branches();
  f.nodes[0].attributes[0].graph->outputs[0].name = "absent";
  EXPECT_THROW(ValueError, "absent", model_from(f));
  f = branches();
  f.nodes[0].attributes[1].graph->nodes[0].inputs[0] = "h2";
  EXPECT_THROW(ValueError, "h2", model_from(f));
  f = branches();
  f.nodes[0].attributes[0].graph->nodes[1].outputs[0] = "h";
  EXPECT_THROW(ValueError, "two tensors", model_from(f));
  f = doubling();
  f.nodes[0].attributes[0].graph->inputs.pop_back();
  f.nodes[0].attributes[0].graph->nodes[0].inputs[0] = "x";
  onnx::Model short_of_inputs = model_from(f);
  EXPECT_THROW(ValueError, "inputs", run(short_of_inputs, {array({1.f}), array(int64_t(1))}));
}

TEST(control_flow_is_exported_again) {
  onnx::Model chosen = model_from(branches()), loop = model_from(doubling());
  const UsingConfig test_mode(&Config::train, false);
  const Array x = array({{1.f, 2.f}});
  for (const bool c : {true, false}) {
    onnx::Model again = onnx::Model::from_bytes(onnx::export_model(chosen, {x, array(c)}, {.opset = 18}));
    for (const bool d : {true, false})
      EXPECT_CLOSE(run(again, {x, array(d)})[0].array(), run(chosen, {x, array(d)})[0].array());
  }
  onnx::Model again = onnx::Model::from_bytes(
      onnx::export_model(loop, {array({1.f, 3.f}), array(int64_t(2))}, {.dynamic_batch = false}));
  EXPECT_CLOSE(run(again, {array({1.f, 3.f}), array(int64_t(4))})[1].array(),
               run(loop, {array({1.f, 3.f}), array(int64_t(4))})[1].array());
}
