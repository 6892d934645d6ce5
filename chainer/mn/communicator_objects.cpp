// SPDX-License-Identifier: MIT
// Communication of objects, encoded as bytes.
#include "chainer/mn/communicator_base.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {

void CommunicatorBase::send_obj(const Object& obj, int dest, int tag) {
  expect_peer("send_obj", dest);
  roll_call_->note("send_obj");
  send_bytes(encode(obj), dest, tag, "send_obj");
}
Object CommunicatorBase::recv_obj(int source, int tag) {
  expect_peer("recv_obj", source);
  roll_call_->note("recv_obj");
  return decode(receive_bytes(source, tag, "recv_obj"));
}
Object CommunicatorBase::bcast_obj(const Object& obj, const BcastObjOptions& o) {
  expect_root("bcast_obj", o.root);
  enter("bcast_obj", text("from root ", o.root));
  std::string bytes = rank_ == o.root ? encode(obj) : std::string();
  broadcast_bytes(bytes, o.root, o.max_buf_len, "bcast_obj");
  return rank_ == o.root ? obj : decode(bytes);
}
ObjectList CommunicatorBase::gather_obj(const Object& obj, int root) {
  expect_root("gather_obj", root);
  enter("gather_obj", text("at root ", root));
  ObjectList out;
  for (const std::string& bytes : gather_bytes(encode(obj), root, "gather_obj")) out.push_back(decode(bytes));
  return out;
}
ObjectList CommunicatorBase::allgather_obj(const Object& obj) {
  enter("allgather_obj");
  ObjectList out;
  for (const std::string& bytes : allgather_bytes(encode(obj), "allgather_obj")) out.push_back(decode(bytes));
  return out;
}
Object CommunicatorBase::allreduce_obj(const Object& obj) {
  enter("allreduce_obj");
  const std::vector<std::string> all = allgather_bytes(encode(obj), "allreduce_obj");
  Object sum = decode(all[0]);
  for (std::size_t r = 1; r < all.size(); ++r) sum = add(sum, decode(all[r]));
  return sum;
}

}  // namespace chainer::mn
