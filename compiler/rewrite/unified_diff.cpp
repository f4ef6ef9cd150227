#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rewrite/rewrite_schemas.hpp"

namespace fairway::rewrite {
namespace {

using Lines = std::vector<std::string_view>;

/// With their line ends.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// A line of the result: kept, removed or added.
struct Line {
  char mark = ' ';
  std::string_view text;
};

/// The shortest way from one list to the other: Myers, "An O(ND) difference algorithm".
class LineComparison {
 public:
  LineComparison(const Lines& before, const Lines& after)
      : before_(before), after_(after), offset_(before.size() + after.size() + 1) {}

  std::vector<Line> run() {
    std::vector<std::size_t> furthest(2 * offset_ + 1, 0);
    for (std::size_t cost = 0;; ++cost) {
      steps_.push_back(furthest);
      for (std::size_t k = offset_ - cost; k <= offset_ + cost; k += 2) {
        std::size_t x = comes_from_above(furthest, k, cost) ? furthest[k + 1] : furthest[k - 1] + 1;
        while (is_same(x, k)) ++x;
        furthest[k] = x;
        if (x >= before_.size() && x + offset_ >= after_.size() + k) return way_back(cost);
      }
    }
  }

 private:
  bool comes_from_above(const std::vector<std::size_t>& furthest, std::size_t k,
                        std::size_t cost) const {
    return k == offset_ - cost || (k != offset_ + cost && furthest[k - 1] < furthest[k + 1]);
  }
  /// Diagonal `k` is `offset_ + x - y`.
  bool is_same(std::size_t x, std::size_t k) const {
    const std::size_t y = x + offset_ - k;
    return x < before_.size() && y < after_.size() && before_[x] == after_[y];
  }

  std::vector<Line> way_back(std::size_t cost) const {
    std::vector<Line> lines;
    std::size_t x = before_.size();
    std::size_t y = after_.size();
    for (; x > 0 || y > 0; --cost) {
      const std::vector<std::size_t>& furthest = steps_[cost];
      const std::size_t k = offset_ + x - y;
      const bool is_added = comes_from_above(furthest, k, cost);
      const std::size_t from = cost == 0 ? 0 : is_added ? furthest[k + 1] : furthest[k - 1];
      const std::size_t start = cost == 0 ? 0 : is_added ? from : from + 1;
      for (; x > start; --y) lines.push_back({' ', before_[--x]});
      if (cost == 0) break;
      lines.push_back(is_added ? Line{'+', after_[--y]} : Line{'-', before_[--x]});
    }
    std::ranges::reverse(lines);
    return lines;
  }

  const Lines& before_;
  const Lines& after_;
  std::size_t offset_;
  std::vector<std::vector<std::size_t>> steps_;  ///< before each round
};

std::string range_text(std::size_t begin, std::size_t count) {
  const std::size_t line = count == 0 ? begin : begin + 1;
  return count == 1 ? std::to_string(line) : fmt::format("{},{}", line, count);
}

/// The lines [begin, end) as a hunk; `before` and `after` are the lines of the texts above it.
std::string hunk(const std::vector<Line>& lines, std::size_t begin, std::size_t end,
                 std::size_t before, std::size_t after) {
  std::string text;
  std::size_t removed = 0;
  std::size_t added = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Line& line = lines[i];
    removed += line.mark == '+' ? 0 : 1;
    added += line.mark == '-' ? 0 : 1;
    text.append(1, line.mark).append(line.text);
    if (!line.text.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n", range_text(before, removed), range_text(after, added)) +
         text;
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before, std::string_view after) {
  if (before == after) return {};
  constexpr std::size_t kContext = 3;
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const std::vector<Line> lines = LineComparison(old_lines, new_lines).run();
  std::string text = fmt::format("--- a/{0}\n+++ b/{0}\n", name);
  const auto is_change = [](const Line& line) { return line.mark != ' '; };
  const auto next_change = [&](std::size_t from) {
    return static_cast<std::size_t>(
        std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end(), is_change) -
        lines.begin());
  };
  std::size_t done = 0;  // lines above the hunk
  std::size_t old_done = 0;
  std::size_t new_done = 0;
  for (std::size_t change = next_change(0); change < lines.size();) {
    const std::size_t begin = std::max(done, change - std::min(change, kContext));
    std::size_t last = change;
    while ((change = next_change(last + 1)) <= last + 1 + 2 * kContext && change < lines.size()) {
      last = change;
    }
    const std::size_t end = std::min(lines.size(), last + 1 + kContext);
    for (; done < begin; ++done) {
      ++old_done;
      ++new_done;
    }
    text += hunk(lines, begin, end, old_done, new_done);
    for (; done < end; ++done) {
      old_done += lines[done].mark == '+' ? 0 : 1;
      new_done += lines[done].mark == '-' ? 0 : 1;
    }
  }
  return text;
}

}  // namespace fairway::rewrite
