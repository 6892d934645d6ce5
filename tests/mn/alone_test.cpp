// SPDX-License-Identifier: MIT
// ChainerMN in a single process.
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>
#include <chainer/mn/transport.h>

#include "test.h"

using namespace chainer;

TEST(build_without_mpi_says_what_to_install) {
  if (chainermn::transport_available()) {
    EXPECT(!chainermn::transport_running());  // only the first communicator starts MPI
    return;
  }
  EXPECT_THROW(MissingPartError, "apt-get install libopenmpi-dev openmpi-bin", chainermn::create_communicator("flat"));
  EXPECT_THROW(ValueError, "no communicator named 'fast'", chainermn::create_communicator("fast"));
}

TEST(shards) {
  EXPECT(chainermn::shard_of(10, 0, 3) == std::pair<int64_t, int64_t>(0, 4));
  EXPECT(chainermn::shard_of(10, 1, 3) == std::pair<int64_t, int64_t>(3, 7));
  EXPECT(chainermn::shard_of(10, 2, 3) == std::pair<int64_t, int64_t>(6, 10));
  EXPECT(chainermn::shard_of(0, 1, 3) == std::pair<int64_t, int64_t>(0, 0));
}

TEST(empty_dataset) {
  const AnyDataset d = chainermn::datasets::create_empty_dataset(arange(7));
  EXPECT_EQ(d.size(), 7);
  EXPECT_EQ(d[3].size(), 0u);
}

TEST(wait_limit) {
  const double before = chainermn::wait_limit();
  chainermn::set_wait_limit(5);
  EXPECT_EQ(chainermn::wait_limit(), 5.0);
  EXPECT_THROW(ValueError, "-1", chainermn::set_wait_limit(-1));
  chainermn::set_wait_limit(before);
}

TEST(main_wrapper) {
  EXPECT_EQ(chainermn::run("program", [] {}), 0);
  EXPECT_EQ(chainermn::run("program", [] { throw ValueError("a test's error"); }), 1);
}
