// SPDX-License-Identifier: MIT
#include "chainer/mn/communicator_base.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "chainer/autograd/config.h"
#include "chainer/core/system/machine.h"
#include "chainer/mn/gradient_reducer.h"
#include "chainer/mn/parameter_state.h"
#include "chainer/mn/roll_call.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {
namespace {

constexpr std::size_t kNameBytes = 64, kDebugBytes = 256;

// Processes with the same host name share a host. CHAINERMN_HOST_NAME replaces it in tests with simulated hosts.
std::string host_name() {
  if (const char* given = std::getenv("CHAINERMN_HOST_NAME"); given && *given) return given;
  return machine::host_name();
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
  const Pending p =
      t.allgather(own->data(), all->data(), bytes, std::make_shared<std::pair<decltype(own), decltype(all)>>(own, all));
  while (!p->done()) std::this_thread::sleep_for(std::chrono::microseconds(20));
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
  inter_rank_ =
      static_cast<int>(std::find(order.begin(), order.end(), hosts[static_cast<std::size_t>(rank_)]) - order.begin());
  // Collects the members' ranks in the world, and whether any of them requests debug mode.
  std::vector<int> members;
  for (const std::string& s : exchange(*transport_, text(RollCall::world_rank(), wants_debug() ? "d" : ""), 32)) {
    members.push_back(std::atoi(s.c_str()));
    debug_ |= s.back() == 'd';
  }
  roll_call_ = std::make_unique<RollCall>(id, name_, rank_, std::move(members), hosts);
  if (size_ > 1) headers_ = transport_->duplicate();
}
CommunicatorBase::~CommunicatorBase() = default;

const std::string& CommunicatorBase::host(int rank) const {
  return roll_call_->hosts().at(static_cast<std::size_t>(rank));
}
const void* CommunicatorBase::mpi_comm() const { return transport_->handle(); }

// MPI_Comm_split and MPI_Comm_dup wait without a limit, so all ranks meet in a barrier first.
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
  if (color < 0) throw ValueError("split: color must be 0 or more, not ", color);
  barrier();
  const uint64_t id = mix(mix(roll_call_->id(), static_cast<uint64_t>(++children_)), static_cast<uint64_t>(color));
  return make(transport_->split(color, key), id);
}

void CommunicatorBase::expect_peer(const char* operation, int rank) const {
  if (rank < 0 || rank >= size_) throw ValueError(operation, ": rank ", rank, " is out of range for ", size_, " ranks");
  if (rank == rank_) throw ValueError(operation, ": rank ", rank, " is this rank itself, which would wait forever");
}
void CommunicatorBase::expect_root(const char* operation, int root) const {
  if (root < 0 || root >= size_) throw ValueError(operation, ": root ", root, " is out of range for ", size_, " ranks");
}

void CommunicatorBase::enter(const char* operation, const std::string& details) {
  const std::string call = details.empty() ? operation : text(operation, " ", details);
  roll_call_->enter(call);
  if (size_ == 1) return;
  uint64_t key = 1469598103934665603u;
  for (const char c : call) key = (key ^ static_cast<unsigned char>(c)) * 1099511628211u;
  history_ = mix(history_, key);
  // As long as all ranks make the same calls, they count alike, so either all of them compare or none. The headers have
  // a transport of their own, so that they are never received as data.
  if (!debug_ && compared_.count(key) && ++trusted_ < kTrustedCalls) return;
  trusted_ = 0;
  compare_calls(call, key);
  if (compared_.size() < kComparedCalls) compared_.insert(key);
}

void CommunicatorBase::compare_calls(const std::string& call, uint64_t key) {
  const auto n = static_cast<std::size_t>(size_);
  const auto exchange_all = [&](const std::string& mine) {
    auto buffers = std::make_shared<std::pair<std::string, std::string>>(mine, std::string(n * mine.size(), '\0'));
    roll_call_->wait(*headers_->allgather(buffers->first.data(), buffers->second.data(), mine.size(), buffers),
                     call.substr(0, call.find(' ')).c_str());
    std::vector<std::string> all;
    for (std::size_t r = 0; r < n; ++r) all.push_back(buffers->second.substr(r * mine.size(), mine.size()));
    return all;
  };
  const uint64_t numbers[] = {key, history_};
  const auto heads = exchange_all(std::string(reinterpret_cast<const char*>(numbers), sizeof numbers));
  if (std::all_of(heads.begin(), heads.end(), [&](const std::string& h) { return h == heads[0]; })) return;
  history_ = 0;  // reset on all ranks, so that the following calls compare equal again
  std::string words = call.substr(0, kDebugBytes - 1);
  words.resize(kDebugBytes);
  const auto calls = exchange_all(words);
  for (int r = 1; r < size_; ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (calls[at] != calls[0])
      throw RuntimeError("communicator ", name_, ", call ", roll_call_->count(), ": ", roll_call_->who(0), " calls ",
                         calls[0].c_str(), ", ", roll_call_->who(r), " calls ", calls[at].c_str());
  }
  earlier_calls_differ();
}

void CommunicatorBase::earlier_calls_differ() const {
  throw RuntimeError("communicator ", name_, ", call ", roll_call_->count(),
                     ": the ranks made different calls before "
                     "this one, whose results are wrong; CHAINERMN_DEBUG=1 shows which");
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
    throw ValueError(operation, ": max_buf_len must be from 1 to 2147483646, not ", piece);
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
  // Short values are exchanged in one allgather; longer ones are broadcast by each rank in turn.
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

void CommunicatorBase::barrier() {
  enter("barrier");
  // The largest and the smallest history of the ranks, which are equal if all ranks made the same calls.
  auto most = std::make_shared<std::array<int64_t, 2>>();
  *most = {static_cast<int64_t>(history_), ~static_cast<int64_t>(history_)};
  roll_call_->wait(*transport_->allreduce(most->data(), 2, int64, Reduce::max, most), "barrier");
  if ((*most)[0] == ~(*most)[1]) return;
  history_ = 0;
  earlier_calls_differ();
}

void CommunicatorBase::bcast_data(Link& model) {
  roll_call_->note("bcast_data");
  broadcast_parameters(*this, model);
}

void CommunicatorBase::allreduce_grad(Link& model) {
  enter("allreduce_grad");
  // If any rank has another model or other parameters than at its last call, all ranks agree on the buckets again.
  auto anew = std::make_shared<int32_t>(!reducer_ || !reducer_->fits(model));
  if (size_ > 1) roll_call_->wait(*transport_->allreduce(anew.get(), 1, int32, Reduce::max, anew), "allreduce_grad");
  if (*anew)
    reducer_ = std::make_unique<GradientReducer>(*this, model, GradientReducerOptions{.synchronizes_values = false});
  reducer_->reduce();
}

void CommunicatorBase::abort(const std::string& message) const {
  std::fprintf(stderr, "rank %d of %d on %s: %s\n", rank_, size_, host(rank_).c_str(), message.c_str());
  transport_->abort(1);
  std::abort();  // not reached
}

}  // namespace chainer::mn
