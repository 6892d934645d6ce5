// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/host.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/onnx/emitter.h"
#include "chainer/onnx/export_check.h"
#include "chainer/onnx/export_job.h"
#include "chainer/onnx/outside_reads.h"
#include "chainer/onnx/program.h"

namespace chainer::onnx {
namespace {

constexpr int64_t kOldestOpset = 13, kNewestWritten = 28;

const Exporter* find_exporter(std::string_view label) {
  static const std::map<std::string_view, const Exporter*> table = [] {
    std::map<std::string_view, const Exporter*> out;
    for (const auto chapter :
         {array_exporters(), connection_exporters(), imported_exporters(), loss_exporters(), math_exporters()})
      for (const Exporter& e : chapter) out.emplace(e.label, &e);
    return out;
  }();
  const auto it = table.find(label);
  return it == table.end() ? nullptr : it->second;
}

// Returns the version of the format (IR) that belongs to an operator set.
int64_t ir_version(int64_t opset) {
  return opset < 9    ? 4
         : opset < 11 ? opset - 5
         : opset < 12 ? 6
         : opset < 15 ? 7
         : opset < 19 ? 8
         : opset < 21 ? 9
         : opset < 23 ? 10
         : opset < 24 ? 11
                      : 12;
}

Dimension declared(const Dimension& d, int64_t length, bool output) {
  if (d.length < 0 || d.length == length) return d;
  return output ? Dimension{-1, ""} : Dimension{length, ""};
}

// Describes an input or output. Keeps the declaration of an imported model's file if the run matches it.
ValueInfo info(const std::string& name, const std::vector<const Variable*>& v, const Emitter& e, const ValueInfo* old,
               bool dynamic) {
  ValueInfo out{name, element_type(v[0]->dtype()), true, {}};
  const auto rank = static_cast<std::size_t>(v[0]->ndim());
  if (old && dynamic && !old->has_shape) return out.has_shape = false, out;
  for (int d = 0; d < v[0]->ndim(); ++d) {
    Lengths lengths;
    for (const Variable* r : v) lengths.push_back(r->shape()[d]);
    const bool kept = old && dynamic && old->shape.size() == rank;
    out.shape.push_back(kept ? declared(old->shape[static_cast<std::size_t>(d)], lengths[0], false)
                             : e.dimension(lengths));
  }
  return out;
}

// Returns the name of input or output i: from the options, from an imported model's file, or numbered.
std::string given(const std::vector<std::string>& names, std::size_t i, const std::vector<TensorInfo>* old,
                  const char* otherwise) {
  return i < names.size() ? names[i] : old && i < old->size() ? (*old)[i].name : text(otherwise, "_", i);
}

using Weights = std::vector<std::pair<std::string, Array>>;

// Returns parameters and persistent values with their paths.
Weights weights_of(Link& link) {
  struct Persistents : MemberVisitor {
    void persistent(const std::string& n, Array& a) override {
      if (a) found.emplace_back(n, a);
    }
    using MemberVisitor::persistent;
    Weights found;
  };
  Weights out;
  for (const auto& [path, p] : link.namedparams(false)) out.emplace_back(path, p.array());
  for (const auto& [path, l] : link.namedlinks()) {
    Persistents values;
    l->visit(values);
    for (const auto& [n, a] : values.found) out.emplace_back((path == "/" ? "" : path) + "/" + n, a);
  }
  return out;
}

// Adds the tensors that nodes read, also those of bodies.
void add_used(const Graph& g, std::set<std::string>& used) {
  for (const Node& n : g.nodes) {
    used.insert(n.inputs.begin(), n.inputs.end());
    for (const Attribute& a : n.attributes)
      if (a.graph) add_used(*a.graph, used);
  }
}

}  // namespace

ModelFile emitted(const Job& job, Runs runs, std::vector<FreeLength> free) {
  Emitter e(job.opset, std::move(runs), std::move(free));
  const Trace& first = *e.runs()[0];
  const ExportOptions& o = job.o;
  e.file.ir_version = ir_version(job.opset);
  e.refuses = job.o.refuse_reads;
  e.file.opsets[""] = job.opset;
  e.file.producer_name = "chainer";
  e.file.graph_name = o.graph_name;
  e.file.metadata = o.metadata;
  const auto in_runs = [&](Variables Trace::*list, std::size_t i) {
    std::vector<const Variable*> out;
    for (const auto& run : e.runs()) out.push_back(&(run.get()->*list)[i]);
    return out;
  };
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    const std::string name = e.unique(given(o.input_names, i, job.imported ? &job.imported->inputs : nullptr, "input"));
    e.file.inputs.push_back(info(name, in_runs(&Trace::inputs, i), e,
                                 job.imported ? &job.imported->declared_inputs[i] : nullptr, o.dynamic_batch));
    e.define_input(i, name);
  }
  std::vector<std::string> output_names;
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    output_names.push_back(
        e.unique(given(o.output_names, i, job.imported ? &job.imported->outputs : nullptr, "output")));
    if (first.outputs[i].source.kind == Source::Kind::call) e.wish(first.outputs[i].source, output_names[i]);
  }
  Weights weights;  // only those used by a node are written
  for (const auto& [path, value] : job.link ? weights_of(*job.link) : Weights()) {
    weights.emplace_back(e.unique(path.substr(path.starts_with("/") ? 1 : 0)), value);
    e.define(value, weights.back().first);
  }
  for (std::size_t i = 0; i < first.calls.size(); ++i) {
    const Exporter* const exporter = find_exporter(first.calls[i].label);
    if (!exporter) throw ValueError("onnx: export: no ONNX operators for the function ", first.calls[i].label);
    exporter->emit(Emission(e, i));
  }
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    std::vector<const Value*> values;
    for (const auto& run : e.runs()) values.push_back(&run->outputs[i]);
    const std::string name = e.name(values);
    if (name != output_names[i]) e.node("Identity", {name}, {}, output_names[i]);
    ValueInfo v = info(output_names[i], in_runs(&Trace::results, i), e, nullptr, o.dynamic_batch);
    if (job.imported && o.dynamic_batch) {
      const ValueInfo& old = job.imported->declared_outputs[i];
      const bool fits = old.has_shape && old.shape.size() == v.shape.size();
      for (std::size_t d = 0; d < v.shape.size(); ++d)
        v.shape[d] = fits ? declared(old.shape[d], v.shape[d].length, true) : Dimension{-1, ""};
      // The standard requires a shape; the number of axes is known if it is for all inputs.
      v.has_shape = fits || std::all_of(e.file.inputs.begin(), e.file.inputs.end(),
                                        [](const ValueInfo& input) { return input.has_shape; });
      if (!v.has_shape) v.shape.clear();
    }
    e.file.outputs.push_back(std::move(v));
  }
  std::set<std::string> used;
  add_used(e.file, used);
  Weights initializers;
  for (auto& w : weights)
    if (used.contains(w.first)) initializers.emplace_back(w.first, to_host(w.second));
  for (auto& c : e.file.initializers) initializers.push_back(std::move(c));
  e.file.initializers = std::move(initializers);
  return std::move(e.file);
}

namespace {

ModelFile exported(Job job) {
  const ExportOptions& o = job.o;
  if (o.opset && (*o.opset < kOldestOpset || *o.opset > kNewestWritten))
    throw ValueError("onnx: export: opset must be in operator sets ", kOldestOpset, " to ", kNewestWritten, ", not ",
                     *o.opset);
  if (o.input_names.size() > job.inputs.size())
    throw ValueError("onnx: export: ", o.input_names.size(), " input_names for ", job.inputs.size(), " inputs");
  const auto base = trace(job.f, job.inputs);
  if (o.output_names.size() > base->results.size())
    throw ValueError("onnx: export: ", o.output_names.size(), " output_names for ", base->results.size(), " outputs");
  // The operator set must not be older than those of imported models.
  int64_t newest = 0;
  for (const Recorded& r : base->calls)
    if (r.label == kImportedModel) {
      const auto& program = r.attributes.get<std::shared_ptr<const Program>>("program");
      newest = std::max(newest, program->opset);
      if (job.link && dynamic_cast<Model*>(job.link)) job.imported = program.get();
    }
  job.opset = o.opset.value_or(job.imported ? newest : std::max(newest, kOldestOpset));

  std::vector<Sample> samples = {{job.inputs, base->results}};
  for (const Variables& other : disturbed(job.inputs)) {
    std::shared_ptr<const Trace> t;
    try {
      t = trace(job.f, other);
    } catch (const std::exception&) { continue; }  // the computation does not support these values
    compare(*base, *t);
    samples.push_back({other, t->results});
  }
  const bool random = difference(trace(job.f, job.inputs)->results, base->results, false).has_value();
  if (auto file = with_free_lengths(job, *base, samples, random)) return std::move(*file);
  ModelFile file = emitted(job, {base}, {});
  const Check check(file);
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (const auto wrong = check.difference(samples[i].inputs, samples[i].results, random))
      throw ValueError("onnx: export: ", i ? "for other inputs than those of the export, " : "",
                       "the file is wrong: ", *wrong,
                       i ? "; the computation uses values of its inputs outside of functions" : "");
  return file;
}

ModelFile exported(Link& model, const Variables& inputs, const ExportOptions& o) {
  const auto params = model.params();
  if (std::any_of(params.begin(), params.end(), [](const Parameter& p) { return !p.is_initialized(); }))
    (void)results_of([&](const Variables& in) { return model.call(in); }, inputs);
  // Each run uses a copy of the model, so that it does not depend on the state left by another run.
  bool copies = true;
  try {
    (void)model.clone(CopyMode::share);
  } catch (const TypeError&) { copies = false; }
  const Computation f = [&](const Variables& in) {
    return copies ? model.clone(CopyMode::share)->call(in) : model.call(in);
  };
  if (const auto read = o.refuse_reads ? outside_read(f, inputs) : std::nullopt)
    throw ValueError(
        "the network reads elements of an array of shape ", *read,
        ", which depends on its inputs, outside of functions (item(), a loop on the host): the branch that ",
        "was taken for the example would be taken for all inputs. Use functions such as F::where");
  return exported(Job{f, &model, nullptr, inputs, o, 0});
}

}  // namespace

std::string export_function(const Computation& f, const Variables& inputs, const ExportOptions& options) {
  return write_model(exported(Job{f, nullptr, nullptr, inputs, options, 0}));
}
std::string export_model(Link& model, const Variables& inputs, const ExportOptions& options) {
  return write_model(exported(model, inputs, options));
}
void export_model(Link& model, const Variables& inputs, const std::filesystem::path& file,
                  const ExportOptions& options) {
  const ModelFile made = exported(model, inputs, options);
  int64_t bytes = 0;
  for (const auto& [name, value] : made.initializers) bytes += value.nbytes();
  if (bytes <= options.external_data_from) return write_file(file, write_model(made));
  std::string external;
  const std::string data_file = file.filename().string() + ".data";
  const std::string text = write_model(made, &external, data_file);
  FileWriter weights(file.parent_path() / data_file), graph(file);
  weights.write(external);
  graph.write(text);
  FileWriter::commit_all({&weights, &graph});
}

}  // namespace chainer::onnx
