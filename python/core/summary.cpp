// SPDX-License-Identifier: MIT
// A network as a table (chainer/links/summary.h).
#include "chainer/links/summary.h"

#include "python/core/casters.h"
#include "python/core/python_link.h"

namespace chainer::python {
namespace {

nb::tuple row_of(const SummaryRow& r) {
  nb::list outputs;
  for (const Shape& s : r.outputs) outputs.append(nb::steal(int_tuple(s)));
  return nb::make_tuple(nb::cast(r.path), nb::cast(r.type), outputs, r.calls, r.parameters, r.shared, r.frozen,
                        r.multiply_adds, r.activation_bytes);
}

}  // namespace

void bind_summary(nb::module_& m) {
  m.def(
      "summary",
      [](nb::object model, const Variables& inputs) {
        PythonLink link(model);
        ModelSummary s = summary(link, inputs);
        for (SummaryRow& r : s.rows)
          if (const std::string& type = link.at(r.path, nb::none()).type(); !type.empty()) r.type = type;
        nb::list rows;
        for (const SummaryRow& r : s.rows) rows.append(row_of(r));
        return nb::make_tuple(rows, s.parameters, s.frozen, s.multiply_adds, s.activation_bytes, to_string(s));
      },
      "model"_a, "inputs"_a);
}

}  // namespace chainer::python
