// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <thread>

#include "chainer/core/system/file.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
using datasets::TextDataset;
using datasets::TextErrors;

namespace {
using Lines = std::vector<std::string>;
Lines all(const TextDataset& d) {
  Lines out;
  for (int64_t i = 0; i < d.size(); ++i) out.push_back(d.lines(i)[0]);
  return out;
}
}  // namespace

TEST(lines_of_text) {
  const test::Folder folder;
  const auto file = [&](const char* name, std::string_view content) {
    write_file(folder.path / name, content);
    return folder.path / name;
  };
  const auto a = file("a", "one\ntwo\r\n\nfour"), b = file("b", "eins\nzwei\ndrei\nvier\n");
  EXPECT(all(TextDataset(a)) == (Lines{"one\n", "two\n", "\n", "four"}));
  EXPECT(all(TextDataset(a, {.newline = ""})) == (Lines{"one\n", "two\r\n", "\n", "four"}));
  EXPECT(all(TextDataset(a, {.newline = "\r\n"})) == (Lines{"one\ntwo\r\n", "\nfour"}));
  EXPECT_EQ(TextDataset(file("empty", "")).size(), 0);
  const TextDataset both({a, b});
  EXPECT(both.lines(1) == (Lines{"two\n", "zwei\n"}));
  EXPECT_EQ(TextDataset({a.c_str(), b.c_str()}).get(1).size(), std::size_t(2));
  EXPECT_EQ(TextDataset({b}).lines(1)[0], "zwei\n");
  EXPECT_EQ(both.get(1).size(), std::size_t(2));
  EXPECT_EQ(datasets::utf8(both.get(3)[1]), "vier\n");
  EXPECT_THROW(ValueError, "has 4 lines", TextDataset({a, file("c", "x\n")}));
  EXPECT_THROW(FileError, "missing", TextDataset(folder.path / "missing"));
  EXPECT_THROW(IndexError, "line 4", both.lines(4));
  const TextDataset odd({a, b}, {.filter_func = [](const Lines& l) { return l[1].size() == 5 && l[0] != "\n"; }});
  EXPECT_EQ(odd.size(), 3);
  EXPECT_EQ(odd.lines(2)[0], "four");
  EXPECT_THROW(ValueError, "3 encodings for 2 files",
               TextDataset({a, b}, {.encoding = Lines{"ascii", "ascii", "ascii"}}));
  const AnyDataset lengths = both.transform([](const Lines& l) { return Example(array(int64_t(l[0].size()))); });
  EXPECT_EQ(lengths[1][0].item<int>(), 4);
  TextDataset closed(a);
  closed.close();
  EXPECT_THROW(RuntimeError, "closed", closed.lines(0));
}

TEST(encodings_of_text) {
  const test::Folder folder;
  const auto file = [&](std::string_view content) {
    write_file(folder.path / "t", content);
    return folder.path / "t";
  };
  EXPECT(all(TextDataset(file("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\n"))) == Lines{"grüß 😀\n"});
  EXPECT(all(TextDataset(file("gr\xfc\xdf\n"), {.encoding = "Latin_1"})) == Lines{"grüß\n"});
  const std::string utf16("g\0\xfc\0=\xd8\x00\xde\n\0x\0", 12);
  EXPECT(all(TextDataset(file("\xff\xfe" + utf16), {.encoding = "utf-16"})) == (Lines{"gü😀\n", "x"}));
  EXPECT(all(TextDataset(file(utf16), {.encoding = "utf-16-le"})) == (Lines{"gü😀\n", "x"}));
  EXPECT(all(TextDataset(file(std::string("\xfe\xff\0a\0\n\0b", 8)), {.encoding = "utf-16"})) == (Lines{"a\n", "b"}));
  const auto bad = file(
      "ok\na\xff"
      "b\n");
  EXPECT_THROW(ValueError, "line 2: the text is not valid in the encoding utf-8", TextDataset(bad).lines(1));
  EXPECT_EQ(TextDataset(bad, {.errors = TextErrors::ignore}).lines(1)[0], "ab\n");
  EXPECT_EQ(TextDataset(bad, {.errors = TextErrors::replace}).lines(1)[0],
            "a\uFFFD"
            "b\n");
  EXPECT_THROW(ValueError, "line 2", TextDataset(bad, {.encoding = "ascii"}).lines(1));
  EXPECT_THROW(ValueError, "unknown encoding 'ebcdic'", TextDataset(bad, {.encoding = "EBCDIC"}));
  for (const char* s : {"\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"})  // not UTF-8
    EXPECT_THROW(ValueError, "line 1", TextDataset(file(s)).lines(0));
}

TEST(several_threads_read_lines) {
  const test::Folder folder;
  std::string content;
  for (int i = 0; i < 2000; ++i) content += text("line ", i, "\n");
  write_file(folder.path / "t", content);
  const TextDataset d(folder.path / "t");
  int wrong[3] = {0, 0, 0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = t; i < d.size(); i += 3) wrong[t] += d.lines(i)[0] != text("line ", i, "\n");
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong[0] + wrong[1] + wrong[2], 0);
}

TEST(tables) {
  const datasets::CsvTable t("name,n,x\n\"a, b\",1,0.5\r\n\"say \"\"hi\"\"\",-2,\nc,3,1e3", "t.csv");
  EXPECT_EQ(t.size(), 3);
  EXPECT(t.text("name") == (Lines{"a, b", "say \"hi\"", "c"}));
  EXPECT_CLOSE(t.column("n", int32), array({1, -2, 3}));
  EXPECT_EQ(t.column("n", int32).dtype(), int32);
  EXPECT_CLOSE(t.column("x")[{Slice(0, 3, 2)}], array({0.5f, 1000.f}));
  EXPECT(std::isnan(t.column("x")[{1}].item<double>()));
  EXPECT_EQ(t.columns({"n", "x"}).shape(), (Shape{3, 2}));
  EXPECT_THROW(KeyError, "t.csv: no column 'y'", t.column("y"));
  EXPECT_THROW(ValueError, "t.csv, line 2, column 'name': 'a, b' is not a float32", t.column("name"));
  EXPECT_THROW(ValueError, "line 3, column 'n': '-2' is not a uint8", t.column("n", uint8));
  // A byte-order mark, with which some programs begin tables, is not part of a name.
  const datasets::CsvTable marked(
      "\xef\xbb\xbf"
      "a,b\n1,2\n",
      "t.csv");
  EXPECT(marked.names() == (std::vector<std::string>{"a", "b"}) && marked.column("a").item<float>() == 1);
  const datasets::CsvTable quoted(
      "\xef\xbb\xbf"
      "\"a\",b\n1,2\n",
      "t.csv");
  EXPECT_EQ(quoted.names()[0], "a");
  EXPECT_THROW(FileError, "t.csv, line 3: 2 fields, expected 1", datasets::CsvTable("a\n1\n1,2\n", "t.csv"));
  EXPECT_THROW(FileError, "line 2: a quote is not closed", datasets::CsvTable("a\n\"1\n2", "t.csv"));
  EXPECT_THROW(FileError, "two columns are named 'a'", datasets::CsvTable("a,a\n", "t.csv"));
  EXPECT_THROW(FileError, "text follows a closing quote", datasets::CsvTable("\"a\"b\n", "t.csv"));
  const datasets::CsvTable tabs("3\tx\n4\ty\n\n5\tx\n", "t", {.delimiter = '\t', .header = false});
  EXPECT_CLOSE(tabs.column("0", int64), array({3, 4, 5}));
  const auto [ids, kinds] = tabs.categories("1");
  EXPECT_CLOSE(ids, array({0, 1, 0}));
  EXPECT(kinds == (Lines{"x", "y"}));
}
