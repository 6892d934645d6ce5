// SPDX-License-Identifier: MIT
// Kills and resumes training of the ImageNet example, with workers that read a list of pictures.
#include <chainer/chainer.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "chainer/core/system/file.h"
#include "chainer/datasets/image.h"
#include "chainer/serializers/zip.h"
#include "test.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

constexpr int kPictures = 24, kBatch = 4, kEpochs = 12, kPerEpoch = kPictures / kBatch;

struct Place {
  fs::path path = fs::temp_directory_path() / text("chainer-interrupted-", ::getpid());
  Place() {
    fs::create_directories(path);
    fs::current_path(path);
  }
  ~Place() {
    fs::current_path(fs::temp_directory_path());
    fs::remove_all(path);
  }
};

// Writes pictures of 80 x 100 with a color per label and noise, as JPEG if this build can write it.
void write_pictures(const std::string& list, uint32_t seed) {
  random::RandomState r(seed);
  std::ofstream lines(list);
  for (int i = 0; i < kPictures; ++i) {
    const Array colour = array({40.0 + 60 * (i % 3), 128.0, 200.0 - 60 * (i % 3)});
    const Array pixels = (colour + r.uniform(-30, 30, {80, 100, 3})).astype(uint8);
    std::string name = text(list, i);
    if (dataset::has_jpeg()) {
      write_file(name += ".jpg", dataset::encode_jpeg(pixels, 90));
    } else {
      write_file(name += ".ppm", "P6 100 80 255\n" + std::string(static_cast<const char*>(pixels.raw()), 80 * 100 * 3));
    }
    lines << name << ' ' << i % 3 << '\n';
  }
}

// Starts the program; its output goes to OUT.txt.
pid_t start(const std::string& out, std::vector<std::string> more) {
  std::vector<std::string> words = {TRAIN_IMAGENET, "train",   "val",         "--arch", "small", "--batchsize",
                                    text(kBatch),   "--epoch", text(kEpochs), "--out",  out};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    const int fd = ::open((out + ".txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(fd, 1);
    ::dup2(fd, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return pid;
}
int status_of(pid_t pid) {
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status;
}
void run(const std::string& out, const std::vector<std::string>& more) {
  const int status = status_of(start(out, more));
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  if (status != 0) std::printf("%s\n", read_file(out + ".txt").c_str());
}

template <class F>
bool within_a_minute(F&& f) {
  for (int i = 0; i < 60000; ++i) {
    if (f()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Compares all arrays of the last snapshots of two runs, and their logs without times.
void expect_same_runs(const std::string& a, const std::string& b) {
  const std::string last = text("/snapshot_iter_", kEpochs * kPerEpoch);
  const zip::Reader x(read_file(a + last), a), y(read_file(b + last), b);
  EXPECT(x.names() == y.names());
  EXPECT(x.names().size() > 20);
  for (const std::string& name : x.names()) {
    if (name.find("_log") != name.npos || name.find("elapsed_time") != name.npos ||
        name.find("_run_begun") != name.npos)
      continue;
    if (x.read(name) != y.read(name)) test::fail(__FILE__, __LINE__, text(name, " differs"));
  }
  const auto log = [](const std::string& run) {
    std::ifstream in(run + "/log");
    std::string out;
    for (std::string line; std::getline(in, line);)
      if (line.find("elapsed_time") == line.npos) out += line + '\n';
    return out;
  };
  EXPECT(log(a).size() > 1000);
  EXPECT_EQ(log(a), log(b));
}

}  // namespace

TEST(a_killed_training_goes_on_bit_for_bit) {
  const Place place;
  write_pictures("train", 1);
  write_pictures("val", 2);
  run("whole", {"--seed", "5", "--loaderjob", "2"});
  const pid_t pid = start("cut", {"--seed", "5", "--loaderjob", "2"});
  EXPECT(within_a_minute([] { return fs::exists(text("cut/snapshot_iter_", 2 * kPerEpoch)); }));
  ::kill(pid, SIGKILL);
  const int status = status_of(pid);
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT(!fs::exists(text("cut/snapshot_iter_", kEpochs * kPerEpoch)));
  // Its workers end with it: the process group is empty.
  EXPECT(within_a_minute([pid] { return ::kill(-pid, 0) != 0; }));

  run("cut", {"--seed", "99", "--loaderjob", "1", "--resume"});
  EXPECT(read_file("cut.txt").find("resumed from") != std::string::npos);
  expect_same_runs("whole", "cut");
  run("threads", {"--seed", "5", "--loaderjob", "0"});
  expect_same_runs("whole", "threads");
}

TEST(an_interrupted_training_says_how_to_go_on_and_goes_on_bit_for_bit) {
  const Place place;
  write_pictures("train", 1);
  write_pictures("val", 2);
  run("whole", {"--seed", "5", "--loaderjob", "2"});
  const pid_t pid = start("cut", {"--seed", "5", "--loaderjob", "2"});
  EXPECT(pid > 0);
  if (pid <= 0) return;
  EXPECT(within_a_minute([] { return fs::exists(text("cut/snapshot_iter_", 2 * kPerEpoch)); }));
  ::kill(-pid, SIGINT);  // to the program and its workers, as from a terminal
  const int status = status_of(pid);
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT(within_a_minute([pid] { return ::kill(-pid, 0) != 0; }));
  const std::string said = read_file("cut.txt");
  const std::size_t at = said.find("--resume cut/snapshot_iter_");
  EXPECT(at != said.npos);
  if (at == said.npos) return;
  const std::string file = said.substr(at + 9, said.find(')', at) - at - 9);
  EXPECT(fs::exists(file));
  run("cut", {"--seed", "99", "--loaderjob", "1", "--resume", file});
  expect_same_runs("whole", "cut");
}
