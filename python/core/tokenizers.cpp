// SPDX-License-Identifier: MIT
// Tokenizers, and the choice of the next token of a text.
#include "chainer/tokenizers/tokenizer.h"

#include <nanobind/stl/filesystem.h>

#include "chainer/models/generate.h"
#include "python/core/casters.h"

namespace chainer::python {
namespace {

using tokenizers::Batch;
using tokenizers::BatchOptions;
using tokenizers::Tokenizer;
using Pairs = std::vector<std::pair<std::string, std::string>>;

nb::tuple arrays_of(const Batch& b) { return nb::make_tuple(b.ids, b.type_ids, b.mask); }

}  // namespace

void bind_tokenizers(nb::module_& m) {
  nb::class_<Tokenizer>(m, "Tokenizer")
      .def_static("load", &Tokenizer::load)
      .def_static("byte_level_bpe", &Tokenizer::byte_level_bpe)
      .def_static("word_piece", &Tokenizer::word_piece)
      .def_static("train_byte_level_bpe",
                  [](const std::vector<std::string>& corpus, int64_t vocabulary, int64_t min_frequency,
                     Flag add_prefix_space, const std::vector<std::string>& special_tokens) {
                    const nb::gil_scoped_release unlocked;
                    return Tokenizer::train_byte_level_bpe(corpus, {.vocabulary = vocabulary,
                                                                    .min_frequency = min_frequency,
                                                                    .add_prefix_space = add_prefix_space,
                                                                    .special_tokens = special_tokens});
                  })
      .def("save", &Tokenizer::save)
      .def("encode", [](const Tokenizer& t, const std::string& text, Flag special) { return t.encode(text, special); })
      .def("encode_pair", [](const Tokenizer& t, const std::string& first, const std::string& second,
                             Flag special) { return t.encode_pair(first, second, special); })
      .def("encode_batch",
           [](const Tokenizer& t, const std::vector<std::string>& texts, std::optional<int64_t> max_length,
              std::optional<int64_t> length, Flag special) {
             return arrays_of(
                 t.encode_batch(texts, {.max_length = max_length, .length = length, .special_tokens = special}));
           })
      .def("encode_pairs",
           [](const Tokenizer& t, const Pairs& pairs, std::optional<int64_t> max_length, std::optional<int64_t> length,
              Flag special) {
             return arrays_of(
                 t.encode_batch(pairs, {.max_length = max_length, .length = length, .special_tokens = special}));
           })
      .def("decode", [](const Tokenizer& t, const std::vector<int32_t>& ids,
                        Flag skip_special) { return t.decode(ids, skip_special); })
      .def("size", &Tokenizer::size)
      .def("id_of", [](const Tokenizer& t, const std::string& token) { return t.id_of(token); })
      .def("token_of", &Tokenizer::token_of)
      .def("padding_id", &Tokenizer::padding_id);
  m.def(
      "drawn_token",
      [](const std::vector<float>& scores, double temperature, int64_t top_k, double top_p, double number) {
        return models::drawn_token(scores, {.temperature = temperature, .top_k = top_k, .top_p = top_p}, number);
      },
      "scores"_a, "temperature"_a, "top_k"_a, "top_p"_a, "number"_a);
}

}  // namespace chainer::python
