// SPDX-License-Identifier: MIT
// Files in the safetensors format (chainer/serializers/safetensors.h).
#include "chainer/serializers/safetensors.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include "python/core/casters.h"
#include "python/core/python_link.h"

namespace chainer::python {
namespace {

std::map<std::string, Array> arrays_of(const nb::dict& values) {
  std::map<std::string, Array> out;
  for (const auto& [name, value] : values) {
    if (!is_ndarray(value.ptr()))
      throw TypeError("safetensors: the entry '", nb::cast<std::string>(name), "' is not an ndarray but ",
                      nb::cast<std::string>(nb::str(value.type())));
    out.emplace(nb::cast<std::string>(name), from_numpy(value.ptr()));
  }
  return out;
}

}  // namespace

void bind_safetensors(nb::module_& m) {
  using serializers::SafetensorsFile;
  nb::class_<SafetensorsFile>(m, "SafetensorsFile",
                              "A safetensors file, mapped into memory. Arrays are read when they are asked for.")
      .def("__init__",
           [](SafetensorsFile* self, const std::filesystem::path& path) { new (self) SafetensorsFile(path); })
      .def("keys",
           [](const SafetensorsFile& self) {
             nb::list out;
             for (const auto& [name, entry] : self.entries()) out.append(nb::cast(name));
             return out;
           })
      .def("shape",
           [](const SafetensorsFile& self, const std::string& name) {
             const auto it = self.entries().find(name);
             if (it == self.entries().end()) throw KeyError("safetensors: no array '", name, "' in ", self.what());
             return nb::tuple(nb::cast(it->second.shape));
           })
      .def("__contains__", &SafetensorsFile::contains)
      .def("__len__", [](const SafetensorsFile& self) { return self.entries().size(); })
      .def("__getitem__", [](const SafetensorsFile& self, const std::string& name) { return self.array(name); })
      .def_prop_ro("metadata", [](const SafetensorsFile& self) { return nb::cast(self.metadata()); });
  m.def(
      "write_safetensors",
      [](const std::filesystem::path& path, const nb::dict& arrays,
         const std::map<std::string, std::string>& metadata) {
        serializers::write_safetensors(path, arrays_of(arrays), metadata);
      },
      "path"_a, "arrays"_a, "metadata"_a);
  m.def(
      "load_safetensors",
      [](const SafetensorsFile& file, nb::object link, const std::string& weight_names, Flag strict,
         const std::map<std::string, std::string>& names) {
        using serializers::WeightNames;
        const bool pytorch = weight_names == "pytorch";
        if (!pytorch && weight_names != "keras")
          throw ValueError("load_safetensors: weight_names must be own, pytorch or keras, not '", weight_names, "'");
        PythonLink target(link);
        const serializers::LoadReport report = serializers::load_safetensors(
            file, target,
            {.from = pytorch ? WeightNames::pytorch : WeightNames::keras, .strict = strict, .names = names});
        target.initialize_objects();
        return nb::make_tuple(report.loaded, report.missing, report.unused);
      },
      "file"_a, "link"_a, "weight_names"_a, "strict"_a, "names"_a);
}

}  // namespace chainer::python
