#include "chainer/mn/communicator_base.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "chainer/autograd/config.h"
#include "chainer/mn/gradient_reducer.h"
#include "chainer/mn/parameter_state.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {
namespace {

constexpr std::size_t kNameBytes = 64, kDebugBytes = 256;

// The name that tells processes of one host. CHAINERMN_HOST_NAME stands in for it where hosts are simulated.
std::string host_name() {
  if (const char* given = std::getenv("CHAINERMN_HOST_NAME"); given && *given) return given;
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

bool wants_debug() {
  if (const char* v = std::getenv("CHAINERMN_DEBUG"); v && *v && std::strcmp(v, "0") != 0) return true;
  return config().debug;
}

std::vector<std::string> exchange(Transport& t, const std::string& mine, std::size_t bytes) {
  const auto n = static_cast<std::size_t>(t.size());
  auto own = std::make_shared<std::string>(mine.substr(0, bytes - 1));
  own->resize(bytes);
  auto all = std::make_shared<std::string>(n * bytes, '\0');
  const Pending p = t.allgather(own->data(), all->data(), bytes,
                                std::make_shared<std::pair<decltype(own), decltype(all)>>(own, all));
  while (!p->done()) ::usleep(20);
  std::vector<std::string> out;
  for (std::size_t r = 0; r < n; ++r) out.emplace_back(all->data() + r * bytes);
  return out;
}

uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a *= 0xbf58476d1ce4e5b9u;
  return a ^ (a >> 31);
}

}  // namespace

CommunicatorBase::CommunicatorBase(std::string name, std::unique_ptr<Transport> transport, uint64_t id)
    : name_(std::move(name)), transport_(std::move(transport)), rank_(transport_->rank()), size_(transport_->size()) {
  const std::vector<std::string> hosts = exchange(*transport_, host_name(), kNameBytes);
  std::vector<std::string> order;
  for (int r = 0; r < size_; ++r) {
    const std::string& h = hosts[static_cast<std::size_t>(r)];
    if (std::find(order.begin(), order.end(), h) == order.end()) order.push_back(h);
    if (h != hosts[static_cast<std::size_t>(rank_)]) continue;
    if (r < rank_) ++intra_rank_;
    ++intra_size_;
  }
  inter_size_ = static_cast<int>(order.size());
  inter_rank_ = static_cast<int>(
      std::find(order.begin(), order.end(), hosts[static_cast<std::size_t>(rank_)]) - order.begin());
  // The world's ranks of the members, and whether any of them wants debug mode.
  std::vector<int> members;
  for (const std::string& s : exchange(*transport_, text(RollCall::world_rank(), wants_debug() ? "d" : ""), 32)) {
    members.push_back(std::atoi(s.c_str()));
    debug_ |= s.back() == 'd';
  }
  roll_call_ = std::make_unique<RollCall>(id, name_, rank_, std::move(members), hosts);
}
CommunicatorBase::~CommunicatorBase() = default;

const std::string& CommunicatorBase::host(int rank) const {
  return roll_call_->hosts().at(static_cast<std::size_t>(rank));
}
const void* CommunicatorBase::mpi_comm() const { return transport_->handle(); }

// The library's own splitting waits without a limit, so all ranks meet before it.
std::unique_ptr<Transport> CommunicatorBase::duplicate_transport() {
  barrier();
  return transport_->duplicate();
}
std::unique_ptr<Transport> CommunicatorBase::intra_transport() {
  barrier();
  return transport_->split(inter_rank_, rank_);
}
std::unique_ptr<Transport> CommunicatorBase::inter_transport() {
  barrier();
  return transport_->split(intra_rank_, rank_);
}
std::unique_ptr<RollCall> CommunicatorBase::another_roll_call(const std::string& name) {
  const uint64_t id = mix(roll_call_->id(), static_cast<uint64_t>(++children_));
  return std::make_unique<RollCall>(id, name, rank_, roll_call_->members(), roll_call_->hosts());
}

Communicator CommunicatorBase::split(int color, int key) {
  if (color < 0) throw ValueError("split: color ", color, " is negative");
  barrier();
  const uint64_t id = mix(mix(roll_call_->id(), static_cast<uint64_t>(++children_)), static_cast<uint64_t>(color));
  return make(transport_->split(color, key), id);
}

void CommunicatorBase::expect_peer(const char* operation, int rank) const {
  if (rank < 0 || rank >= size_) throw ValueError(operation, ": rank ", rank, " of ", size_, " ranks");
  if (rank == rank_) throw ValueError(operation, ": rank ", rank, " is this rank itself, which would wait for ever");
}
void CommunicatorBase::expect_root(const char* operation, int root) const {
  if (root < 0 || root >= size_) throw ValueError(operation, ": root ", root, " of ", size_, " ranks");
}

void CommunicatorBase::enter(const char* operation, const std::string& details) {
  roll_call_->enter(operation);
  if (!debug_ || size_ == 1) return;
  const std::string mine = operation + (details.empty() ? "" : " " + details);
  const auto n = static_cast<std::size_t>(size_);
  auto buffers = std::make_shared<std::pair<std::string, std::string>>(mine.substr(0, kDebugBytes - 1),
                                                                       std::string(n * kDebugBytes, '\0'));
  buffers->first.resize(kDebugBytes);
  const Pending p = transport_->allgather(buffers->first.data(), buffers->second.data(), kDebugBytes, buffers);
  roll_call_->wait(*p, operation);
  const std::string first = buffers->second.c_str();
  for (int r = 1; r < size_; ++r) {
    const std::string other = buffers->second.c_str() + static_cast<std::size_t>(r) * kDebugBytes;
    if (other == first) continue;
    throw RuntimeError("communicator ", name_, ", call ", roll_call_->count(), ": ", roll_call_->who(0), " calls ", first,
                       ", ", roll_call_->who(r), " calls ", other);
  }
}

void CommunicatorBase::send_bytes(const std::string& bytes, int to, int tag, const char* operation) {
  auto keep = std::make_shared<std::pair<int64_t, std::string>>(static_cast<int64_t>(bytes.size()), bytes);
  const Pending head = transport_->send(&keep->first, sizeof(int64_t), to, tag, keep),
                body = transport_->send(keep->second.data(), bytes.size(), to, tag, keep);
  roll_call_->wait(*head, operation, {to});
  roll_call_->wait(*body, operation, {to});
}

std::string CommunicatorBase::receive_bytes(int from, int tag, const char* operation) {
  auto keep = std::make_shared<std::pair<int64_t, std::string>>();
  const Pending head = transport_->receive(&keep->first, sizeof(int64_t), from, tag, keep);
  roll_call_->wait(*head, operation, {from});
  keep->second.resize(static_cast<std::size_t>(keep->first));
  const Pending body = transport_->receive(keep->second.data(), keep->second.size(), from, tag, keep);
  roll_call_->wait(*body, operation, {from});
  return std::move(keep->second);
}

void CommunicatorBase::broadcast_bytes(std::string& bytes, int root, int64_t piece, const char* operation) {
  if (piece <= 0 || piece >= 2147483647)
    throw ValueError(operation, ": max_buf_len ", piece, " is not between 1 and 2147483646");
  auto keep = std::make_shared<std::pair<int64_t, std::string>>(static_cast<int64_t>(bytes.size()), std::string());
  roll_call_->wait(*transport_->broadcast(&keep->first, sizeof(int64_t), root, keep), operation);
  if (rank_ == root)
    keep->second = bytes;
  else
    keep->second.resize(static_cast<std::size_t>(keep->first));
  for (int64_t at = 0; at < keep->first; at += piece) {
    const auto n = static_cast<std::size_t>(std::min(piece, keep->first - at));
    roll_call_->wait(*transport_->broadcast(keep->second.data() + at, n, root, keep), operation);
  }
  bytes = std::move(keep->second);
}

namespace {
constexpr int kCollectiveTag = 32700;  // of messages inside collectives
}

std::vector<std::string> CommunicatorBase::gather_bytes(const std::string& mine, int root, const char* operation) {
  std::vector<std::string> out;
  if (rank_ != root) {
    send_bytes(mine, root, kCollectiveTag, operation);
    return out;
  }
  for (int r = 0; r < size_; ++r) out.push_back(r == root ? mine : receive_bytes(r, kCollectiveTag, operation));
  return out;
}

std::vector<std::string> CommunicatorBase::allgather_bytes(const std::string& mine, const char* operation) {
  // Short values in one exchange of equal pieces; what is longer follows from each rank in turn.
  constexpr std::size_t kShort = 512;
  const auto n = static_cast<std::size_t>(size_);
  auto keep = std::make_shared<std::pair<std::string, std::string>>(std::string(kShort + 8, '\0'),
                                                                    std::string(n * (kShort + 8), '\0'));
  const auto length = static_cast<int64_t>(mine.size());
  std::memcpy(keep->first.data(), &length, sizeof length);
  std::memcpy(keep->first.data() + 8, mine.data(), std::min(kShort, mine.size()));
  roll_call_->wait(*transport_->allgather(keep->first.data(), keep->second.data(), kShort + 8, keep), operation);
  std::vector<std::string> out;
  for (int r = 0; r < size_; ++r) {
    const char* from = keep->second.data() + static_cast<std::size_t>(r) * (kShort + 8);
    int64_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    if (static_cast<std::size_t>(bytes) <= kShort) {
      out.emplace_back(from + 8, static_cast<std::size_t>(bytes));
      continue;
    }
    std::string whole = r == rank_ ? mine : std::string();
    broadcast_bytes(whole, r, BcastObjOptions().max_buf_len, operation);
    out.push_back(std::move(whole));
  }
  return out;
}

namespace {
std::string describe(const Array& a) { return a ? text("of ", a.dtype(), " ", a.shape()) : "of none"; }
void expect_array(const char* operation, const Array& a) {
  if (!a) throw TypeError(operation, ": there is no array");
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
    auto keep = std::make_shared<Array>(a.contiguous());
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
  if (tuple) throw ValueError("recv: rank ", source, " sent a tuple of ", out.size(), " arrays: recv_tuple() takes it");
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
    *a = data.contiguous();
  } else {
    Shape shape;
    for (std::size_t d = 1; d < entry.size(); ++d) shape.push_back(entry[d].to_int());
    *a = Array(shape, parse_dtype(entry.at(0).to_text()));
  }
  char* bytes = rank_ == root ? static_cast<char*>(const_cast<void*>(a->raw())) : static_cast<char*>(a->mutable_raw());
  const int64_t total = a->nbytes(), piece = max_buf_len.value_or(std::max<int64_t>(total, 1));
  if (piece <= 0) throw ValueError("bcast: max_buf_len ", piece);
  for (int64_t at = 0; at < total; at += piece) {
    const auto n = static_cast<std::size_t>(std::min(piece, total - at));
    roll_call_->wait(*transport_->broadcast(bytes + at, n, root, a), "bcast");
  }
  return rank_ == root ? data : *a;
}

Arrays CommunicatorBase::gather(const Array& data, int root) {
  expect_root("gather", root);
  expect_array("gather", data);
  enter("gather", text("at root ", root));
  Arrays out;
  for (const std::string& bytes : gather_bytes(encode(Object(data)), root, "gather"))
    out.push_back(decode(bytes).to_array());
  return out;
}

Arrays CommunicatorBase::allgather(const Array& data) {
  expect_array("allgather", data);
  enter("allgather");
  Arrays out;
  for (const std::string& bytes : allgather_bytes(encode(Object(data)), "allgather"))
    out.push_back(decode(bytes).to_array());
  return out;
}

Array CommunicatorBase::scatter(const Arrays& xs, int root) {
  expect_root("scatter", root);
  enter("scatter", text("from root ", root));
  if (rank_ != root) {
    const Object o = decode(receive_bytes(root, kCollectiveTag, "scatter"));
    if (const auto* count = std::get_if<int64_t>(&o.variant()))
      throw ValueError("scatter: rank ", root, " gave ", *count, " arrays for ", size_, " ranks");
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
  if (static_cast<int>(xs.size()) != size_)
    throw ValueError("alltoall: ", xs.size(), " arrays for ", size_, " ranks");
  for (const Array& a : xs) expect_array("alltoall", a);
  enter("alltoall");
  // In turn k a rank sends to the k-th rank behind it and receives from the k-th before it.
  std::vector<Array> out(xs.size());
  out[static_cast<std::size_t>(rank_)] = xs[static_cast<std::size_t>(rank_)];
  for (int k = 1; k < size_; ++k) {
    const int to = (rank_ + k) % size_, from = (rank_ - k + size_) % size_;
    auto keep = std::make_shared<std::pair<int64_t, std::string>>(0, encode(Object(xs[static_cast<std::size_t>(to)])));
    keep->first = static_cast<int64_t>(keep->second.size());
    const Pending head = transport_->send(&keep->first, sizeof(int64_t), to, kCollectiveTag, keep),
                  body = transport_->send(keep->second.data(), keep->second.size(), to, kCollectiveTag, keep);
    out[static_cast<std::size_t>(from)] = decode(receive_bytes(from, kCollectiveTag, "alltoall")).to_array();
    roll_call_->wait(*head, "alltoall", {to});
    roll_call_->wait(*body, "alltoall", {to});
  }
  return Arrays(out.begin(), out.end());
}

Array CommunicatorBase::allreduce(const Array& data) {
  expect_array("allreduce", data);
  if (data.dtype() == bool_) throw DtypeError("allreduce: there is no sum of ", data.dtype());
  enter("allreduce", describe(data));
  auto out = std::make_shared<Array>(data.shape(), data.dtype());
  if (data.size()) {
    const Array in = data.contiguous();
    std::memcpy(out->mutable_raw(), in.raw(), static_cast<std::size_t>(in.nbytes()));
    roll_call_->wait(*transport_->allreduce(out->mutable_raw(), out->size(), out->dtype(), Reduce::sum, out),
                     "allreduce");
  }
  return *out;
}

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
void CommunicatorBase::barrier() {
  enter("barrier");
  auto keep = std::make_shared<int32_t>(0);
  roll_call_->wait(*transport_->allreduce(keep.get(), 1, int32, Reduce::sum, keep), "barrier");
}

void CommunicatorBase::bcast_data(Link& model) {
  roll_call_->note("bcast_data");
  broadcast_parameters(*this, model);
}

void CommunicatorBase::allreduce_grad(Link& model) {
  if (!reducer_ || reducer_->model() != &model) reducer_ = std::make_unique<GradientReducer>(*this, model);
  reducer_->reduce();
}

void CommunicatorBase::abort(const std::string& message) const {
  std::fprintf(stderr, "rank %d of %d on %s: %s\n", rank_, size_, host(rank_).c_str(), message.c_str());
  transport_->abort(1);
  std::abort();  // which is not reached
}

}  // namespace chainer::mn
