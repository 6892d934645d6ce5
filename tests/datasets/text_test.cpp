// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <cmath>
#include <limits>
#include <thread>

#include "chainer/core/parallel.h"
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
  // One replacement for each longest part of a character, as in Python.
  const auto replaced = [&](const std::string& bytes) {
    return TextDataset(file(bytes), {.errors = TextErrors::replace}).lines(0)[0];
  };
  EXPECT_EQ(replaced("\xe2\x80\xff"), "\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xf0\x9f\x98"
                     "a"),
            "\uFFFDa");
  EXPECT_EQ(replaced("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xf4\x90\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xe2\x82"), "\uFFFD");
  EXPECT_THROW(ValueError, "no byte order mark", TextDataset(file(utf16), {.encoding = "utf-16"}));
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
  for (const char* cell : {"+-1", "+", "-", "1x", "0x1", "1 2"})
    EXPECT_THROW(ValueError, text("'", cell, "' is not a float32"),
                 datasets::CsvTable(text("a\n", cell), "t").column("a"));
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
  // A copy reads its own text, also of a table as short as this.
  datasets::CsvTable moved("a\n7\n", "t");
  const datasets::CsvTable copy = moved;
  moved = tabs;
  EXPECT_EQ(copy.column("a").item<float>(), 7);
}

TEST(numbers_in_tables_are_in_the_range_of_the_dtype) {
  const auto refused = [](const char* cell, Dtype dtype) {
    EXPECT_THROW(ValueError, text("'", cell, "' is not a ", dtype),
                 datasets::CsvTable(text("a\n", cell, "\n"), "t").column("a", dtype));
  };
  const auto number = [](const char* cell, Dtype dtype) {
    return datasets::CsvTable(text("a\n", cell, "\n"), "t").column("a", dtype).item<double>();
  };
  refused("1e39", float32), refused("-1e39", float32), refused("65520", float16), refused("3.4e38", bfloat16);
  refused("1e400", float64);
  EXPECT_EQ(number("3.4028235677973362e38", float32), std::numeric_limits<float>::max());
  EXPECT_EQ(number("65519", float16), 65504.0);
  EXPECT_EQ(number("3.39e38", bfloat16), std::ldexp(255, 120));
  for (const Dtype dtype : {float16, bfloat16, float32, float64}) EXPECT_EQ(number("-inf", dtype), -HUGE_VAL);
}

TEST(quotes_across_the_middle_of_a_table) {
  // The part of the second thread begins within quotes and is read on after 98 long rows by the first one.
  std::string content = "a\n";
  for (int i = 0; i < 98; ++i) content += std::string(12000, 'x') + '\n';
  content += '"';
  for (int i = 0; i < 1200; ++i) content += std::string(999, 'y') + '\n';
  content += "\"\n";
  for (int i = 0; i < 100; ++i) content += "z\n";
  cpu::set_thread_count(2);
  EXPECT_EQ(datasets::CsvTable(content, "t").size(), 199);
  cpu::set_thread_count(0);
}

TEST(quotes_without_a_text_are_an_empty_cell) {
  const datasets::CsvTable t("a\n1\n\"\"\n\n3\n\"\"", "t");
  EXPECT(t.text("a") == (Lines{"1", "", "3", ""}));
  EXPECT_THROW(ValueError, "line 3, column 'a': '' is not a int32", t.column("a", int32));
}

// Tables of several MB are read in parts, whose borders may lie within quotes.
TEST(tables_do_not_depend_on_the_number_of_threads) {
  random::RandomState r(11);
  const std::vector<std::string> cells = {
      "", "plain", "\"a\nb\"", "\"\"\"\"", "a \"literal\" quote", "\"x, \"\"y\"\"\n\"", "-1.5"};
  const auto read = [](const std::string& content, int threads) {
    cpu::set_thread_count(threads);
    std::string all;
    try {
      const datasets::CsvTable t(content, "t");
      for (const std::string& name : t.names())
        for (const std::string& cell : t.text(name)) all += cell + '|';
    } catch (const FileError& e) { all = e.what(); }
    cpu::set_thread_count(0);
    return all;
  };
  for (int turn = 0; turn < 6; ++turn) {
    std::string content = "a,b,c\n";
    bool wrong = turn < 4;  // the last two turns have a wrong row in the last part
    while (content.size() < 3500000) {
      if (!wrong && content.size() > 3000000) {
        content += turn == 4 ? "1,2,3,4\n" : "\"1\"2,3,4\n";
        wrong = true;
      }
      // In the first turns nearly all of the table is within quotes.
      for (int c = 0; c < 3; ++c) {
        const auto kind = static_cast<std::size_t>(r.randint(0, 7, {}).item<int64_t>());
        content += turn < 2 && c == turn ? "\"" + std::string(200, '\n') + "\"" : cells[kind];
        content += c < 2 ? "," : content.size() % 2 ? "\r\n" : "\n";
      }
    }
    const std::string one = read(content, 1);
    EXPECT_EQ(one.starts_with("t, line "), turn >= 4);
    if (turn < 4) EXPECT(one.size() > 1500000);
    for (const int threads : {2, 3, 8}) EXPECT(read(content, threads) == one);
  }
  // One cell of 5 MB.
  const std::string long_cell = "a\n\"" + std::string(5000000, '\n') + "\"\n";
  EXPECT_EQ(read(long_cell, 4).size(), 5000001u);
}

// More rows than threads divide, with numbers of many forms; the message names the first wrong one.
TEST(long_tables) {
  const int64_t rows = 30001;
  std::string content = "i,x,kind\n";
  for (int64_t i = 0; i < rows; ++i)
    content += text(i, i % 3 ? "," : ", +", static_cast<double>(i) / 8, i % 5 ? ",\"k\"\"" : ",", i % 7,
                    i % 5 ? "\"\n" : "\r\n");
  const datasets::CsvTable t(content, "t.csv");
  const Array numbers = arange(rows);
  EXPECT_EQ(t.size(), rows);
  EXPECT_CLOSE(t.column("i", int64), numbers, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(t.column("x", float64), numbers.astype(float64) / 8, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(t.column("x", float16), (numbers.astype(float64) / 8).astype(float16), {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(t.columns({"x", "i"}), stack({numbers.astype(float32) / 8, numbers.astype(float32)}, 1));
  const auto [ids, kinds] = t.categories("kind");
  EXPECT_EQ(kinds.size(), 14u);  // the texts "0" to "6", and the same after a quote
  for (int64_t i = 0; i < rows; i += 997)
    EXPECT_EQ(kinds[static_cast<std::size_t>(ids[i].item<int>())], text(i % 5 ? "k\"" : "", i % 7));
  for (const int64_t bad : {20000, 7}) {  // both are wrong in the second round
    content.replace(content.find(text("\n", bad, ",")) + 1, 1, "z");
    const datasets::CsvTable wrong(content, "t.csv");
    EXPECT_THROW(ValueError, text("line ", bad + 2, ", column 'i': 'z"), wrong.column("i", int32));
  }
}
