// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <type_traits>
#include <vector>

#include "test.h"

using namespace chainer;

// A growing std::vector moves its elements only if their move constructor is noexcept; otherwise it copies them, and
// copying a link is an error.
template <class... Ls>
constexpr bool moves_are_noexcept = (std::is_nothrow_move_constructible_v<Ls> && ...);
static_assert(
    moves_are_noexcept<L::BatchNormalization, L::Bias, L::Bilinear, L::BinaryHierarchicalSoftmax, L::BlackOut, L::CRF1d,
                       L::ChildSumTreeLSTM, L::Classifier, L::Convolution1D, L::Convolution2D, L::Convolution3D,
                       L::ConvolutionND, L::Deconvolution1D, L::Deconvolution2D, L::Deconvolution3D, L::DeconvolutionND,
                       L::DeformableConvolution2D, L::DepthwiseConvolution2D, L::DilatedConvolution2D, L::EmbedID,
                       L::GRUBase, L::GroupNormalization, L::Highway, L::Inception, L::InceptionBN, L::LSTMBase,
                       L::LayerNormalization, L::Linear, L::LocalConvolution2D, L::MGUBase, L::MLPConvolution2D,
                       L::Maxout, L::NStepBiGRU, L::NStepBiLSTM, L::NStepBiRNNReLU, L::NStepBiRNNTanh, L::NStepGRU,
                       L::NStepLSTM, L::NStepRNNReLU, L::NStepRNNTanh, L::NaryTreeLSTM, L::NegativeSampling, L::PReLU,
                       L::Parameter, L::LowRank, L::MultiHeadAttention, L::RMSNormalization, L::TransformerDecoder,
                       L::TransformerDecoderLayer, L::TransformerEncoder, L::TransformerEncoderLayer, L::Scale,
                       L::SimplifiedDropconnect, L::StatefulPeepholeLSTM, L::StatefulZoneoutLSTM, L::Swish>);

TEST(a_vector_of_links_grows) {
  std::vector<L::Convolution2D> convolutions;
  std::vector<L::BatchNormalization> normalizations;
  for (int i = 0; i < 5; ++i) {
    convolutions.push_back(L::Convolution2D(3, 3, 3, {.pad = 1}));
    normalizations.push_back(L::BatchNormalization(3));
  }
  Variable y = ones({2, 3, 4, 4});
  for (int i = 0; i < 5; ++i) y = normalizations[i](convolutions[i](y));
  EXPECT_EQ(y.shape(), Shape({2, 3, 4, 4}));
}
