#include <charconv>
#include <cstddef>

#include "contract_test/valid_values.hpp"
#include "schema/kinds.hpp"

namespace fairway::contract_test {
namespace {

/// The characters of a set such as `a-f0-9`.
std::string characters(std::string_view set) {
  std::string all;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool is_range = i + 2 < set.size() && set[i + 1] == '-';
    const char last = is_range ? set[i + 2] : set[i];
    for (char c = set[i]; c <= last; ++c) all += c;
    if (is_range) i += 2;
  }
  return all;
}

/// A length from `3,8`, or the only one, `4`.
std::size_t length(std::string_view range, RandomSource& random) {
  const char* const end = range.data() + range.size();
  std::size_t min = 1;
  const char* const comma = std::from_chars(range.data(), end, min).ptr;
  std::size_t max = min;
  if (comma != end) std::from_chars(comma + 1, end, max);
  return min + random.below(max - min + 1);
}

/// A string of a `sample` of the table of formats.
std::string string_of(std::string_view sample, RandomSource& random) {
  std::string result;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] != '[') {
      result += sample[i];
      continue;
    }
    std::size_t end = sample.find(']', i);
    const std::string set = characters(sample.substr(i + 1, end - i - 1));
    std::size_t count = 1;
    if (end + 1 < sample.size() && sample[end + 1] == '{') {
      const std::size_t open = end + 1;
      end = sample.find('}', open);
      count = length(sample.substr(open + 1, end - open - 1), random);
    }
    for (; count > 0; --count) result += set[random.below(set.size())];
    i = end;
  }
  return result;
}

}  // namespace

std::optional<std::string> value_of_format(std::string_view format, std::string_view pattern,
                                           RandomSource& random) {
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    if (row.has_format == nullptr) continue;
    // Our documents have the pattern of a format that JSON Schema lacks or defines otherwise;
    // others have its name.
    const bool is_of_kind =
        row.json_format.empty()
            ? format == row.name || (format.empty() && pattern == row.json_pattern)
            : format == row.json_format;
    if (is_of_kind) return string_of(row.sample, random);
  }
  return std::nullopt;
}

}  // namespace fairway::contract_test
