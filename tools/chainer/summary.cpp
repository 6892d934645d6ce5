// SPDX-License-Identifier: MIT
#include "chainer/links/summary.h"

#include <cstdio>

#include "chainer/onnx/onnx.h"
#include "chainer/routines/creation.h"
#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

namespace json = chainer::json;

// The declared inputs, filled with zeros. An undefined length of the first axis is the batch size.
chainer::Variables inputs_of(const chainer::onnx::Model& model, const std::string& path, int64_t batch) {
  chainer::Variables out;
  for (const chainer::onnx::TensorInfo& i : model.inputs()) {
    if (!i.shape)
      throw chainer::ValueError(path, ": the file does not declare the number of axes of the input '", i.name, "'");
    chainer::Shape shape;
    for (std::size_t axis = 0; axis < i.shape->size(); ++axis) {
      const int64_t n = (*i.shape)[axis];
      if (n < 0 && axis > 0)
        throw chainer::ValueError(path, ": the file does not declare the length of axis ", axis, " of the input '",
                                  i.name, "' ", shape_text(*i.shape));
      shape.push_back(n < 0 ? batch : n);
    }
    out.push_back(chainer::Variable(chainer::zeros(shape, i.dtype)));
  }
  return out;
}

int run(const Arguments& a) {
  const std::string& path = a.positional[0];
  const double batch = a.number("batch", 1);
  if (!(batch >= 1 && batch <= 1e6) || batch != static_cast<double>(static_cast<int64_t>(batch)))
    throw UsageError("--batch takes a whole number from 1 to 1000000");
  chainer::onnx::Model model(path);
  const chainer::ModelSummary s = chainer::summary(model, inputs_of(model, path, static_cast<int64_t>(batch)));
  if (!a.has("json")) {
    std::fputs(to_string(s).c_str(), stdout);
    return 0;
  }
  json::List rows;
  for (const chainer::SummaryRow& r : s.rows) {
    json::List outputs;
    for (const chainer::Shape& shape : r.outputs) outputs.emplace_back(lengths({shape.begin(), shape.end()}));
    rows.emplace_back(json::Object{{"path", r.path},
                                   {"type", r.type},
                                   {"outputs", std::move(outputs)},
                                   {"parameters", r.parameters},
                                   {"multiply_adds", r.multiply_adds},
                                   {"activation_bytes", r.activation_bytes}});
  }
  print_json(json::Object{{"file", path},
                          {"rows", std::move(rows)},
                          {"parameters", s.parameters},
                          {"multiply_adds", s.multiply_adds},
                          {"activation_bytes", s.activation_bytes}});
  return 0;
}

}  // namespace

Command summary_command() {
  return {.name = "summary",
          .arguments = "FILE.onnx",
          .least = 1,
          .most = 1,
          .summary = "Shows output, parameters and cost of each part of an ONNX model.",
          .description = {"Runs the model once on zeros and prints a table: path, last operation, shape of the output, "
                          "parameters, multiply-adds, bytes of results. If the file does not define the length of an "
                          "input's first axis, it is the batch size; other undefined lengths are an error."},
          .options = {{"batch", "NUMBER", "the batch size for an undefined first axis, 1 by default"},
                      {"json", "", "print one JSON object"}},
          .run = run};
}

}  // namespace tool
