// SPDX-License-Identifier: MIT
#include "chainer/routines/text_kernels/reduction_source.h"

#include <map>
#include <string_view>

namespace chainer::backends::cuda {
namespace {

constexpr std::string_view kSource = R"(using namespace chainer::cuda::text;
$types$$preamble$
typedef $type$ _type_reduce;
extern "C" __global__ void $function$($parameters$) {
  __shared__ __align__(16) char _memory[$threads$ * sizeof(_type_reduce)];
  _type_reduce* const _values = reinterpret_cast<_type_reduce*>(_memory);
  const int _lanes = $threads$ / _together, _lane = threadIdx.x / _together;
  const ptrdiff_t _outputs = _out_ind.size();
  const auto _combine = [&](const _type_reduce& a, const _type_reduce& b) -> _type_reduce {
    return $reduce$;
  };
  for (ptrdiff_t _first = ptrdiff_t(blockIdx.x) * _together; _first < _outputs * _parts;
       _first += ptrdiff_t(gridDim.x) * _together) {
    const ptrdiff_t _result = _first + threadIdx.x % _together, _i = _result % _outputs;
    const ptrdiff_t _begin = _result / _outputs * _chunk, _end = _begin + _chunk < _count ? _begin + _chunk : _count;
    const auto _map = [&](const ptrdiff_t _J) -> _type_reduce {
      const ptrdiff_t _j = _i + _J * _outputs;
      if (_phase == 2) return _partial[_j];
      _in_ind.set(_j);
$inputs$      return static_cast<_type_reduce>($map$);
    };
    const ptrdiff_t _used = _first + threadIdx.x % _together < _outputs * _parts ? _end - _begin : 0;
    if (_lane < _used) {
      _type_reduce _value = _map(_begin + _lane);
      for (ptrdiff_t _J = _begin + _lane + _lanes; _J < _end; _J += _lanes) _value = _combine(_value, _map(_J));
      _values[threadIdx.x] = _value;
    }
    __syncthreads();
    for (int _half = _lanes / 2; _half > 0; _half /= 2) {
      if (_lane < _half && _lane + _half < _used)
        _values[threadIdx.x] = _combine(_values[threadIdx.x], _values[threadIdx.x + _half * _together]);
      __syncthreads();
    }
    if (_lane == 0 && _result < _outputs * _parts) {
      if (_phase == 1) {
        _partial[_result] = _values[threadIdx.x];
      } else {
        _out_ind.set(_i);
$outputs$        const _type_reduce a = $last$;
        $post_map$
        ;
      }
    }
    __syncthreads();
  }
}
)";

}  // namespace

std::string reduction_source(const ReductionSource& s) {
  const std::string last = s.identity.empty()
                               ? "_values[threadIdx.x]"
                               : "_count ? _values[threadIdx.x] : static_cast<_type_reduce>(" + s.identity + ")";
  const std::map<std::string_view, std::string> parts = {{"types", s.types},
                                                         {"preamble", s.preamble},
                                                         {"type", s.type},
                                                         {"function", s.function},
                                                         {"parameters", s.parameters},
                                                         {"map", s.map},
                                                         {"reduce", s.reduce},
                                                         {"post_map", s.post_map},
                                                         {"inputs", s.inputs},
                                                         {"outputs", s.outputs},
                                                         {"last", last},
                                                         {"threads", std::to_string(kThreadsOfReduction)}};
  std::string out;
  for (std::size_t at = 0; at < kSource.size();) {
    const std::size_t mark = std::min(kSource.find('$', at), kSource.size());
    out += kSource.substr(at, mark - at);
    if (mark == kSource.size()) break;
    const std::size_t end = kSource.find('$', mark + 1);
    out += parts.at(kSource.substr(mark + 1, end - mark - 1));
    at = end + 1;
  }
  return out;
}

}  // namespace chainer::backends::cuda
