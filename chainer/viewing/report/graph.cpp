// SPDX-License-Identifier: MIT
// Layered drawing of a graph: ranks by the longest path, long edges through dummy nodes in the ranks between, order
// within a rank by the means of neighbors.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "chainer/viewing/plot/canvas.h"
#include "chainer/viewing/report/run.h"

namespace chainer::run_report {
namespace {

using plot::Color;
using plot::Position;

struct Node {
  std::string label;
  bool function = false, place = false;  // place: a dummy node of a long edge, drawn without a box
  int rank = 0;
  double x = 0, width = 0;
  std::vector<std::size_t> above, below;
};

std::string unescaped(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\' && i + 1 < s.size()) ++i;
    out += s[i];
  }
  return out;
}

// Parses statements "id [label="...",...]" and "id -> id", terminated by semicolons.
std::vector<Node> read_dot(const std::string& dot) {
  std::vector<Node> nodes;
  std::map<std::string, std::size_t> ids;
  std::vector<std::pair<std::string, std::string>> edges;
  std::size_t at = dot.find('{');
  const auto trimmed = [](std::string s) {
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '"'; };
    while (!s.empty() && blank(s.back())) s.pop_back();
    return s.substr(static_cast<std::size_t>(std::find_if_not(s.begin(), s.end(), blank) - s.begin()));
  };
  while (at != dot.npos && at + 1 < dot.size()) {
    std::size_t end = at + 1;
    for (bool quoted = false; end < dot.size() && (quoted || (dot[end] != ';' && dot[end] != '}')); ++end) {
      if (dot[end] == '\\')
        ++end;
      else if (dot[end] == '"')
        quoted = !quoted;
    }
    const std::string statement = dot.substr(at + 1, std::min(end, dot.size()) - at - 1);
    at = end;
    const std::size_t bracket = statement.find('['), arrow = statement.find("->");
    if (arrow < bracket) {
      edges.emplace_back(trimmed(statement.substr(0, arrow)), trimmed(statement.substr(arrow + 2)));
    } else if (bracket != statement.npos) {
      const std::size_t label = statement.find("label=\"", bracket);
      if (label == statement.npos) continue;
      std::size_t close = label + 7;
      while (close < statement.size() && statement[close] != '"') close += statement[close] == '\\' ? 2 : 1;
      Node n;
      n.label = unescaped(std::string_view(statement).substr(label + 7, std::min(close, statement.size()) - label - 7));
      n.function = statement.find("record") != statement.npos;
      if (ids.emplace(trimmed(statement.substr(0, bracket)), nodes.size()).second) nodes.push_back(std::move(n));
    }
  }
  for (const auto& [from, to] : edges) {
    const auto a = ids.find(from), b = ids.find(to);
    if (a == ids.end() || b == ids.end() || a->second == b->second) continue;
    nodes[a->second].below.push_back(b->second);
    nodes[b->second].above.push_back(a->second);
  }
  return nodes;
}

// Sets ranks to the length of the longest path from a node without inputs; returns false for a graph with a cycle.
bool set_ranks(std::vector<Node>& nodes) {
  std::vector<std::size_t> missing(nodes.size()), ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if ((missing[i] = nodes[i].above.size()) == 0) ready.push_back(i);
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (const std::size_t to : nodes[ready[done]].below) {
      nodes[to].rank = std::max(nodes[to].rank, nodes[ready[done]].rank + 1);
      if (--missing[to] == 0) ready.push_back(to);
    }
  if (done < nodes.size()) return false;
  // Nodes without inputs are moved to the rank right above their first reader: parameters next to the data.
  for (Node& n : nodes)
    if (n.above.empty() && !n.below.empty()) {
      n.rank = nodes[n.below[0]].rank - 1;
      for (const std::size_t to : n.below) n.rank = std::min(n.rank, nodes[to].rank - 1);
    }
  return true;
}

void split_long_edges(std::vector<Node>& nodes) {
  const std::size_t count = nodes.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t e = 0; e < nodes[i].below.size(); ++e) {
      const std::size_t to = nodes[i].below[e];
      std::size_t last = i;
      for (int rank = nodes[i].rank + 1; rank < nodes[to].rank; ++rank) {
        Node place;
        place.place = true;
        place.rank = rank;
        place.above = {last};
        const std::size_t id = nodes.size();
        nodes.push_back(place);
        if (last == i)
          nodes[i].below[e] = id;
        else
          nodes[last].below.push_back(id);
        last = id;
      }
      if (last == i) continue;
      nodes[last].below.push_back(to);
      *std::find(nodes[to].above.begin(), nodes[to].above.end(), i) = last;
    }
}

// Sweeps that move each node to the mean of its neighbors and push overlapping nodes apart. Returns the total width.
double set_places(std::vector<Node>& nodes, std::vector<std::vector<std::size_t>>& ranks) {
  constexpr double kGap = 14;
  const auto spread = [&](std::vector<std::size_t>& rank) {
    std::stable_sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) { return nodes[a].x < nodes[b].x; });
    double wanted = 0, end = -HUGE_VAL, got = 0;
    for (const std::size_t i : rank) {
      wanted += nodes[i].x;
      nodes[i].x = std::max(nodes[i].x, end + nodes[i].width / 2);
      end = nodes[i].x + nodes[i].width / 2 + kGap;
      got += nodes[i].x;
    }
    for (const std::size_t i : rank) nodes[i].x += (wanted - got) / static_cast<double>(rank.size());
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].x = static_cast<double>(i);
  for (int sweep = 0; sweep < 12; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      auto& rank = ranks[down ? r : ranks.size() - 1 - r];
      for (const std::size_t i : rank) {
        const auto& beside = down ? nodes[i].above : nodes[i].below;
        if (beside.empty()) continue;
        double sum = 0;
        for (const std::size_t n : beside) sum += nodes[n].x;
        nodes[i].x = sum / static_cast<double>(beside.size());
      }
      spread(rank);
    }
  }
  double low = HUGE_VAL, high = 0;
  for (const Node& n : nodes) low = std::min(low, n.x - n.width / 2);
  for (Node& n : nodes) n.x += 10 - low, high = std::max(high, n.x + n.width / 2 + 10);
  return high;
}

}  // namespace

std::string graph_svg(const std::string& dot, const std::string& label) {
  constexpr Color kInk{0.2, 0.2, 0.22}, kEdge{0.45, 0.45, 0.48}, kData{0.88, 0.88, 0.9}, kFunction{0.72, 0.83, 0.96};
  constexpr double kStep = 46, kHeight = 24, kText = 12;
  std::vector<Node> nodes = read_dot(dot);
  if (nodes.empty() || nodes.size() > 400 || !set_ranks(nodes)) return "";
  split_long_edges(nodes);
  const auto measure = plot::make_svg_canvas(1, 1);
  std::vector<std::vector<std::size_t>> ranks;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node& n = nodes[i];
    n.width = n.place ? 4 : measure->text_width(n.label, kText) + 16;
    ranks.resize(std::max(ranks.size(), static_cast<std::size_t>(n.rank) + 1));
    ranks[static_cast<std::size_t>(n.rank)].push_back(i);
  }
  const double width = set_places(nodes, ranks), height = kStep * static_cast<double>(ranks.size());
  const auto canvas = plot::make_svg_canvas(width, height, label);
  const auto middle = [&](const Node& n) { return Position{n.x, kStep * (n.rank + 0.5)}; };
  for (const Node& n : nodes)
    for (const std::size_t to : n.below) {
      const Node& m = nodes[to];
      const Position from = middle(n), end = middle(m);
      const double y0 = from.y + (n.place ? 0 : kHeight / 2), y1 = end.y - (m.place ? 0 : kHeight / 2);
      canvas->lines({{from.x, y0}, {end.x, y1}}, kEdge, 1);
      if (m.place) continue;
      const double l = std::hypot(end.x - from.x, y1 - y0), ux = (end.x - from.x) / l, uy = (y1 - y0) / l;
      canvas->area({{end.x, y1},
                    {end.x - 7 * ux - 3 * uy, y1 - 7 * uy + 3 * ux},
                    {end.x - 7 * ux + 3 * uy, y1 - 7 * uy - 3 * ux}},
                   kEdge);
    }
  for (const Node& n : nodes) {
    if (n.place) continue;
    const Position p = middle(n);
    const double w = n.width / 2, h = kHeight / 2, cut = n.function ? 0 : 6;
    canvas->area({{p.x - w + cut, p.y - h},
                  {p.x + w - cut, p.y - h},
                  {p.x + w, p.y - h + cut},
                  {p.x + w, p.y + h - cut},
                  {p.x + w - cut, p.y + h},
                  {p.x - w + cut, p.y + h},
                  {p.x - w, p.y + h - cut},
                  {p.x - w, p.y - h + cut}},
                 n.function ? kFunction : kData);
    canvas->text({p.x, p.y + 4}, n.label, kText, plot::Canvas::Anchor::middle, kInk);
  }
  return canvas->finish();
}

}  // namespace chainer::run_report
