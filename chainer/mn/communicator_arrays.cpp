// SPDX-License-Identifier: MIT
// Communication of arrays.
#include <algorithm>
#include <cstring>

#include "chainer/array/host.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {
namespace {
std::string describe(const Array& a) { return a ? text("of ", a.dtype(), " ", a.shape()) : "of none"; }
void expect_array(const char* operation, const Array& a) {
  if (!a) throw TypeError(operation, ": the array is none");
}
}  // namespace

void CommunicatorBase::send_arrays(const Arrays& data, bool tuple, int dest, int tag) {
  expect_peer("send", dest);
  for (const Array& a : data) expect_array("send", a);
  roll_call_->note("send");
  ObjectList header{Object(tuple)};
  for (const Array& a : data) {
    ObjectList entry{Object(std::string(chainer::name(a.dtype())))};
    for (int64_t n : a.shape()) entry.emplace_back(n);
    header.emplace_back(std::move(entry));
  }
  send_bytes(encode(Object(std::move(header))), dest, tag, "send");
  for (const Array& a : data) {
    auto keep = std::make_shared<Array>(to_host(a).contiguous());
    roll_call_->wait(*transport_->send(keep->raw(), static_cast<std::size_t>(keep->nbytes()), dest, tag, keep), "send",
                     {dest});
  }
}

Arrays CommunicatorBase::receive_arrays(int source, int tag, bool* tuple) {
  expect_peer("recv", source);
  roll_call_->note("recv");
  const Object header = decode(receive_bytes(source, tag, "recv"));
  const ObjectList& entries = header.to_list();
  *tuple = entries.at(0).to_bool();
  Arrays out;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const ObjectList& entry = entries[i].to_list();
    Shape shape;
    for (std::size_t d = 1; d < entry.size(); ++d) shape.push_back(entry[d].to_int());
    auto a = std::make_shared<Array>(shape, parse_dtype(entry[0].to_text()));
    roll_call_->wait(*transport_->receive(a->mutable_raw(), static_cast<std::size_t>(a->nbytes()), source, tag, a),
                     "recv", {source});
    out.push_back(*a);
  }
  return out;
}

Array CommunicatorBase::recv(int source, int tag) {
  bool tuple = false;
  const Arrays out = receive_arrays(source, tag, &tuple);
  if (tuple)
    throw ValueError("recv: rank ", source, " sent a tuple of ", out.size(), " arrays, expected one; use recv_tuple()");
  return out[0];
}
Arrays CommunicatorBase::recv_tuple(int source, int tag) {
  bool tuple = false;
  return receive_arrays(source, tag, &tuple);
}

Array CommunicatorBase::bcast(const Array& data, std::optional<int64_t> max_buf_len, int root) {
  expect_root("bcast", root);
  enter("bcast", text("from root ", root));
  std::string header;
  if (rank_ == root) {
    expect_array("bcast", data);
    ObjectList entry{Object(std::string(chainer::name(data.dtype())))};
    for (int64_t n : data.shape()) entry.emplace_back(n);
    header = encode(Object(std::move(entry)));
  }
  broadcast_bytes(header, root, BcastObjOptions().max_buf_len, "bcast");
  const Object decoded = decode(header);
  const ObjectList& entry = decoded.to_list();
  auto a = std::make_shared<Array>();
  if (rank_ == root) {
    *a = to_host(data).contiguous();
  } else {
    Shape shape;
    for (std::size_t d = 1; d < entry.size(); ++d) shape.push_back(entry[d].to_int());
    *a = Array(shape, parse_dtype(entry.at(0).to_text()));
  }
  char* bytes = rank_ == root ? static_cast<char*>(const_cast<void*>(a->raw())) : static_cast<char*>(a->mutable_raw());
  const int64_t total = a->nbytes(), piece = max_buf_len.value_or(std::max<int64_t>(total, 1));
  if (piece <= 0) throw ValueError("bcast: max_buf_len must be positive, not ", piece);
  for (int64_t at = 0; at < total; at += piece) {
    const auto n = static_cast<std::size_t>(std::min(piece, total - at));
    roll_call_->wait(*transport_->broadcast(bytes + at, n, root, a), "bcast");
  }
  return rank_ == root ? data : data ? a->to_device(data.device()) : *a;
}

Arrays CommunicatorBase::gather(const Array& data, int root) {
  expect_root("gather", root);
  expect_array("gather", data);
  enter("gather", text("at root ", root));
  Arrays out;
  for (const std::string& bytes : gather_bytes(encode(Object(data)), root, "gather"))
    out.push_back(decode(bytes).to_array().to_device(data.device()));
  return out;
}

Arrays CommunicatorBase::allgather(const Array& data) {
  expect_array("allgather", data);
  enter("allgather");
  Arrays out;
  for (const std::string& bytes : allgather_bytes(encode(Object(data)), "allgather"))
    out.push_back(decode(bytes).to_array().to_device(data.device()));
  return out;
}

Array CommunicatorBase::scatter(const Arrays& xs, int root) {
  expect_root("scatter", root);
  enter("scatter", text("from root ", root));
  if (rank_ != root) {
    const Object o = decode(receive_bytes(root, kCollectiveTag, "scatter"));
    if (const auto* count = std::get_if<int64_t>(&o.variant()))
      throw ValueError("scatter: rank ", root, " passed ", *count, " arrays for ", size_, " ranks");
    return o.to_array();
  }
  const bool right = static_cast<int>(xs.size()) == size_;
  for (int r = 0; r < size_; ++r)
    if (r != root)
      send_bytes(encode(right ? Object(xs[static_cast<std::size_t>(r)]) : Object(static_cast<int64_t>(xs.size()))), r,
                 kCollectiveTag, "scatter");
  if (!right) throw ValueError("scatter: ", xs.size(), " arrays for ", size_, " ranks");
  return xs[static_cast<std::size_t>(root)];
}

Array CommunicatorBase::scatter(const Array& x, int root) {
  Arrays rows;
  if (rank_ == root && x && x.ndim() > 0)
    for (int64_t i = 0; i < x.shape(0); ++i) rows.push_back(x[i]);
  return scatter(rows, root);
}

Arrays CommunicatorBase::alltoall(const Arrays& xs) {
  if (static_cast<int>(xs.size()) != size_) throw ValueError("alltoall: ", xs.size(), " arrays for ", size_, " ranks");
  for (const Array& a : xs) expect_array("alltoall", a);
  enter("alltoall");
  // In step k, each rank sends to rank + k and receives from rank - k (modulo size).
  std::vector<Array> out(xs.size());
  out[static_cast<std::size_t>(rank_)] = xs[static_cast<std::size_t>(rank_)];
  for (int k = 1; k < size_; ++k) {
    const int to = (rank_ + k) % size_, from = (rank_ - k + size_) % size_;
    auto keep = std::make_shared<std::pair<int64_t, std::string>>(0, encode(Object(xs[static_cast<std::size_t>(to)])));
    keep->first = static_cast<int64_t>(keep->second.size());
    const Pending head = transport_->send(&keep->first, sizeof(int64_t), to, kCollectiveTag, keep),
                  body = transport_->send(keep->second.data(), keep->second.size(), to, kCollectiveTag, keep);
    const Array received = decode(receive_bytes(from, kCollectiveTag, "alltoall")).to_array();
    out[static_cast<std::size_t>(from)] = received.to_device(xs[static_cast<std::size_t>(rank_)].device());
    roll_call_->wait(*head, "alltoall", {to});
    roll_call_->wait(*body, "alltoall", {to});
  }
  return Arrays(out.begin(), out.end());
}

Array CommunicatorBase::allreduce(const Array& data) {
  expect_array("allreduce", data);
  if (data.dtype() == bool_) throw DtypeError("allreduce: sums of ", data.dtype(), " are not supported");
  enter("allreduce", describe(data));
  auto out = std::make_shared<Array>(data.shape(), data.dtype());
  if (data.size()) {
    const Array in = to_host(data).contiguous();
    std::memcpy(out->mutable_raw(), in.raw(), static_cast<std::size_t>(in.nbytes()));
    roll_call_->wait(*transport_->allreduce(out->mutable_raw(), out->size(), out->dtype(), Reduce::sum, out),
                     "allreduce");
  }
  return out->to_device(data.device());
}

}  // namespace chainer::mn
