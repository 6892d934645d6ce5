// SPDX-License-Identifier: MIT
// FileWriter with existing files. Its behavior on failures of the system is tested in tests/faults.
#include "chainer/core/system/file_writer.h"

#include <chainer/chainer.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "chainer/core/system/file.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

std::size_t temporaries(const fs::path& folder) {
  std::size_t n = 0;
  for (const auto& e : fs::directory_iterator(folder)) n += e.path().filename().string().starts_with("tmp-");
  return n;
}
mode_t mode_of(const fs::path& p) {
  struct ::stat s {};
  return ::stat(p.c_str(), &s) == 0 ? s.st_mode & 07777 : 0;
}

}  // namespace

TEST(a_file_keeps_its_mode_and_links_stay_links) {
  const test::Folder place;
  const fs::path secret = place.path / "secret", link = place.path / "link", other = place.path / "other";
  write_file(secret, "old");
  ::chmod(secret.c_str(), 0600);
  write_file(secret, "new");
  EXPECT(read_file(secret) == "new" && mode_of(secret) == 0600);
  fs::create_directories(place.path / "elsewhere");
  fs::create_symlink("elsewhere/file", link);  // the target does not exist yet
  fs::create_symlink(link, other);
  write_file(other, "through two links");
  EXPECT(fs::is_symlink(link) && fs::is_symlink(other) && !fs::is_symlink(place.path / "elsewhere/file"));
  EXPECT_EQ(read_file(place.path / "elsewhere/file"), "through two links");
  write_file(link, "again");
  EXPECT(fs::is_symlink(link) && read_file(other) == "again");
  fs::create_symlink("round", place.path / "round");
  EXPECT_THROW(FileError, "round: ", write_file(place.path / "round", ""));
  EXPECT_THROW(FileError, "elsewhere: Is a directory", write_file(place.path / "elsewhere", ""));
  EXPECT_THROW(FileError, "/no/folder/file: No such file", write_file("/no/folder/file", ""));
  EXPECT_EQ(temporaries(place.path) + temporaries(place.path / "elsewhere"), 0u);
}

TEST(pipes_and_devices_are_written_to_and_stay) {
  const test::Folder place;
  const fs::path pipe = place.path / "pipe";
  EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(pipe); });
  write_file(pipe, std::string(200000, 'x'));
  reader.join();
  EXPECT(got == std::string(200000, 'x') && fs::is_fifo(pipe));
  EXPECT_THROW(FileError, "pipe: it is a pipe that no process reads", write_file(pipe, "x"));
  write_file("/dev/null", "gone");
  EXPECT(fs::is_character_file("/dev/null"));
  EXPECT_THROW(FileError, "cannot write /dev/full: No space left on device", write_file("/dev/full", "x"));
  // Mapping a pipe does not wait for a writer.
  EXPECT_THROW(FileError, "pipe: it is not a regular file", map_npy(pipe));
}

TEST(temporary_names_cannot_be_guessed_and_fit) {
  const test::Folder place;
  const std::string a = temporary_next_to(place.path / "x").filename(),
                    b = temporary_next_to(place.path / "x").filename();
  // tmp-PROCESS-NUMBER-RANDOM-x
  const auto random = [](const std::string& name) { return name.substr(name.size() - 18, 16); };
  EXPECT(a.size() > 24 && random(a) != random(b) && random(a).find_first_not_of("0123456789abcdef") == a.npos);
  for (std::size_t n : {100u, 241u, 255u}) {
    const fs::path file = place.path / std::string(n, 'n');
    write_file(file, text(n));
    EXPECT_EQ(read_file(file), text(n));
  }
  std::string umlauts;
  while (umlauts.size() < 250) umlauts += "\u00fc";
  write_file(place.path / umlauts, "x");
  const std::string cut = temporary_next_to(place.path / ("x" + umlauts)).filename();
  EXPECT(cut.size() < 200 && cut.ends_with("\u00fc"));
  EXPECT_EQ(temporaries(place.path), 0u);
}

TEST(files_appear_together_when_they_are_committed) {
  const test::Folder place;
  write_file(place.path / "a", "old");
  {
    FileWriter a(place.path / "a"), b(place.path / "b");
    a.write("new"), b.write("new");
    EXPECT(read_file(place.path / "a") == "old" && !fs::exists(place.path / "b"));
    FileWriter::commit_all({&a, &b});
    EXPECT(!a.is_open() && read_file(place.path / "a") == "new" && read_file(place.path / "b") == "new");
    EXPECT_THROW(RuntimeError, "has been finished already", a.write("x"));
  }
  {
    FileWriter a(place.path / "a");
    a.write("never");
  }
  {
    FileWriter a(place.path / "a", FileWriter::Mode::append);
    a.write(" and more");
    a.commit();
  }
  EXPECT_EQ(read_file(place.path / "a"), "new and more");
  EXPECT_EQ(temporaries(place.path), 0u);
}
