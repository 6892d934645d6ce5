// SPDX-License-Identifier: MIT
// L: attention and the layers of transformers. Sequences are (N, L, size): examples, positions, features. Errors:
// forward() throws InvalidType or DimensionError if shapes or dtypes do not match.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chainer/core/other_options.h"
#include "chainer/functions/activation.h"
#include "chainer/links/connection.h"
#include "chainer/links/normalization.h"

namespace chainer {
namespace links {

/// The keys and values (N, heads, L, size of a head) of the positions that a MultiHeadAttention has seen, so that a
/// sequence is generated without computing them again. They are constants: gradients do not pass through a cache.
class AttentionCache {
 public:
  AttentionCache() = default;
  AttentionCache(const AttentionCache& o);  // copies keys and values
  AttentionCache(AttentionCache&&) noexcept = default;
  AttentionCache& operator=(AttentionCache o) noexcept;
  int64_t length() const { return length_; }
  /// Throws DimensionError for other examples, heads or sizes than those of earlier calls, TypeError for other dtypes.
  void append(const Variable& k, const Variable& v);
  /// Views; append() may write after their end.
  Variable keys() const;
  Variable values() const;
  /// Replaces the examples by those at these indices (integers), as beam search does.
  void select(const Array& examples);
  void reset() { *this = AttentionCache(); }
  /// Removes the positions from `length` on. Throws ValueError if the length is not in 0 ... length().
  void truncate(int64_t length);

 private:
  Array k_, v_;  // with room for more positions
  int64_t length_ = 0;
};

/// Optional arguments of a call of an attention or transformer layer:
///   layer(x, L::AttentionContext{.cache = &cache})
struct AttentionContext {
  Array mask = {};                         ///< as of F::scaled_dot_product_attention, for scores (N, heads, L, S)
  AttentionCache* cache = nullptr;         ///< extended by the positions of the call
  Array memory_mask = {};                  ///< of a decoder layer, for its attention to the memory
  AttentionCache* memory_cache = nullptr;  ///< of a decoder layer: filled by the first call, used by the others
};

/// Options of MultiHeadAttention.
struct MultiHeadAttentionOptions {
  std::optional<int64_t> kv_heads = {};  ///< heads of keys and values, a divisor of `heads`; as many by default
  bool causal = false;                   ///< a position attends to itself and to earlier ones only
  double dropout = 0;                    ///< of the probabilities, in training
  bool nobias = false;
  bool rotary = false;           ///< F::rotary_embedding of queries and keys
  double base = 10000;           ///< the base of the rotary embedding
  InitializerArg initialW = {};  ///< LeCunNormal by default
};
/// output(attention(query(x), key(m), value(m))) with `heads` heads of size / heads features, for x (N, L, size) and
/// m = memory (N, S, any size), or m = x if no memory is given. With a cache, the keys and values of x are appended to
/// it, and x attends to all of them; those of a memory are computed only if the cache is empty. The constructor throws
/// ValueError unless `heads` divides the size and kv_heads divides `heads`, or if half of the size of a rotary head is
/// not an integer. See F::scaled_dot_product_attention. Vaswani et al., arXiv:1706.03762; Ainslie et al.,
/// arXiv:2305.13245.
class MultiHeadAttention : public Chain {
 public:
  MultiHeadAttention(int64_t size, int64_t heads, const MultiHeadAttentionOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultiHeadAttention, ".kv_heads, .causal, .dropout, .nobias, .rotary, .base, .initialW", int64_t,
                        int64_t);
  Variable forward(const Variable& x, const AttentionContext& context = {}) { return forward(x, Variable(), context); }
  Variable forward(const Variable& x, const Variable& memory, const AttentionContext& context = {});
  Linear query, key, value, output;
  CHAINER_DECLARE_MEMBERS(MultiHeadAttention);

 private:
  Variable attend(const Variable& x, const Variable& memory, const AttentionContext& context);
  int64_t heads_, kv_heads_;
  bool causal_, rotary_;
  double dropout_, base_;
};

/// Options of TransformerEncoderLayer and TransformerDecoderLayer.
struct TransformerLayerOptions {
  std::optional<int64_t> feedforward = {};  ///< features between the two products; four times the size by default
  double dropout = 0.1;
  /// Between the two products. F::swiglu and other gated units halve the features.
  std::function<Variable(const Variable&)> activation = functions::relu;
  bool norm_first = false;  ///< normalize the input of each part, else the sum of its input and its result
  double eps = 1e-5;
  std::optional<int64_t> kv_heads = {};  ///< of the attention to the layer's own positions
  bool causal = false;                   ///< a decoder layer is always causal
  bool rotary = false;                   ///< rotary embeddings in the attention to the layer's own positions
  bool nobias = false;                   ///< of the products
};

/// Self-attention and two products with an activation, each with dropout, a connection around it and a
/// LayerNormalization. Vaswani et al., arXiv:1706.03762; with norm_first Xiong et al., arXiv:2002.04745.
///   L::TransformerEncoderLayer layer(512, 8, {.activation = F::gelu, .norm_first = true});
class TransformerEncoderLayer : public Chain {
 public:
  TransformerEncoderLayer(int64_t size, int64_t heads, const TransformerLayerOptions& options = {});
  CHAINER_OTHER_OPTIONS(TransformerEncoderLayer,
                        ".feedforward, .dropout, .activation, .norm_first, .eps, .kv_heads, .causal, .rotary, .nobias",
                        int64_t, int64_t);
  Variable forward(const Variable& x, const AttentionContext& context = {});
  MultiHeadAttention attention;
  Linear linear1, linear2;
  LayerNormalization norm1, norm2;
  CHAINER_DECLARE_MEMBERS(TransformerEncoderLayer);

 private:
  std::function<Variable(const Variable&)> activation_;
  double dropout_;
  bool norm_first_;
};

/// As TransformerEncoderLayer, with causal self-attention and, after it, attention to a memory (N, S, any size).
class TransformerDecoderLayer : public Chain {
 public:
  TransformerDecoderLayer(int64_t size, int64_t heads, const TransformerLayerOptions& options = {});
  CHAINER_OTHER_OPTIONS(TransformerDecoderLayer,
                        ".feedforward, .dropout, .activation, .norm_first, .eps, .kv_heads, .causal, .rotary, .nobias",
                        int64_t, int64_t);
  Variable forward(const Variable& x, const Variable& memory, const AttentionContext& context = {});
  MultiHeadAttention attention, memory_attention;
  Linear linear1, linear2;
  LayerNormalization norm1, norm2, norm3;
  CHAINER_DECLARE_MEMBERS(TransformerDecoderLayer);

 private:
  Variable through_parts(const Variable& x, const Variable& memory, const AttentionContext& context);
  std::function<Variable(const Variable&)> activation_;
  double dropout_;
  bool norm_first_;
};

/// Options of TransformerEncoder and TransformerDecoder.
struct TransformerOptions {
  std::optional<bool> norm = {};  ///< normalize the result; by default if the layers normalize their inputs
  /// In training, keep only the inputs of the layers and compute each layer again during backward (F::forget): memory
  /// of one layer, for about a third more time. Gradients with a graph are not available.
  bool checkpoint = false;
};
/// Optional arguments of a call of TransformerEncoder or TransformerDecoder. Lists of caches get one for each layer.
struct TransformerContext {
  Array mask = {};                                       ///< as of AttentionContext
  std::vector<AttentionCache>* caches = nullptr;         ///< extended by the positions of the call
  Array memory_mask = {};                                ///< of a decoder
  std::vector<AttentionCache>* memory_caches = nullptr;  ///< of a decoder: filled by the first call
};

/// `layers` layers of the class TransformerEncoderLayer, and a LayerNormalization of the result. The constructor throws
/// ValueError if `layers` is negative; forward() throws ValueError for a list of caches of another length.
///   L::TransformerEncoder gpt(12, 768, 12, {.norm_first = true, .causal = true}, {.checkpoint = true});
class TransformerEncoder : public Chain {
 public:
  TransformerEncoder(int64_t layers, int64_t size, int64_t heads, const TransformerLayerOptions& layer = {},
                     const TransformerOptions& options = {});
  CHAINER_OTHER_OPTIONS(TransformerEncoder, ".norm, .checkpoint", int64_t, int64_t, int64_t,
                        const TransformerLayerOptions&);
  Variable forward(const Variable& x, const TransformerContext& context = {});
  std::vector<std::shared_ptr<TransformerEncoderLayer>> layers;
  std::shared_ptr<LayerNormalization> norm;  ///< or null
  CHAINER_DECLARE_MEMBERS(TransformerEncoder);

 private:
  Variable through_layers(const Variable& x, const TransformerContext& context);
  bool checkpoint_;
};

/// As TransformerEncoder, of layers of the class TransformerDecoderLayer, which attend to a memory (N, S, any size).
class TransformerDecoder : public Chain {
 public:
  TransformerDecoder(int64_t layers, int64_t size, int64_t heads, const TransformerLayerOptions& layer = {},
                     const TransformerOptions& options = {});
  CHAINER_OTHER_OPTIONS(TransformerDecoder, ".norm, .checkpoint", int64_t, int64_t, int64_t,
                        const TransformerLayerOptions&);
  Variable forward(const Variable& x, const Variable& memory, const TransformerContext& context = {});
  std::vector<std::shared_ptr<TransformerDecoderLayer>> layers;
  std::shared_ptr<LayerNormalization> norm;  ///< or null
  CHAINER_DECLARE_MEMBERS(TransformerDecoder);

 private:
  Variable through_layers(const Variable& x, const Variable& memory, const TransformerContext& context);
  bool checkpoint_;
};

}  // namespace links
}  // namespace chainer
