#include "base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include "base/ascii.hpp"

namespace fw::base {
namespace {

// The number of insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> before_previous(width);
  std::vector<std::size_t> previous(width);
  std::vector<std::size_t> row(width);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    before_previous.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = left[i - 1] == right[j - 1];
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before_previous[j - 2] + 1);
      }
    }
  }
  return row.back();
}

/// The largest difference of similar names; with a larger one, suggestions would be unrelated.
std::size_t farthest(std::string_view name, std::string_view candidate) {
  return std::max(name.size(), std::min<std::size_t>(candidate.size(), 3)) / 3;
}

/// How many letters two names have in common from their beginnings.
std::size_t common_beginning(std::string_view left, std::string_view right) {
  const auto [end, other] = std::ranges::mismatch(left, right);
  return static_cast<std::size_t>(end - left.begin());
}

}  // namespace

std::vector<std::string_view> near_names(std::string_view name,
                                         std::span<const std::string_view> candidates) {
  constexpr std::size_t kMaxUsefulNameLength = 64;
  if (name.size() > kMaxUsefulNameLength) return {};
  const std::string lower_name = lower_case(name);
  std::size_t nearest = kMaxUsefulNameLength;
  std::vector<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(lower_name, lower_case(candidate));
    if (distance > std::min(nearest, farthest(name, candidate))) continue;
    if (distance < nearest) found.clear();
    nearest = distance;
    found.push_back(candidate);
  }
  std::ranges::stable_sort(found, std::greater(), [&](std::string_view candidate) {
    return common_beginning(lower_name, lower_case(candidate));
  });
  return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const auto near = near_names(name, candidates);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near.front());
}

}  // namespace fw::base
