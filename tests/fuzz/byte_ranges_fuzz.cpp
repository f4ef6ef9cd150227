// Range fields: what is selected lies in the representation, does not overlap, and is not more than
// all of it. The first byte of the input is the size.
#include <cstddef>
#include <variant>
#include <vector>

#include "features/static_files/byte_ranges.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint64_t length = data[0];
  const auto selected = fw::detail::select_ranges(fuzz::text_of(data + 1, size - 1), length);
  const auto* ranges = std::get_if<std::vector<fw::detail::ByteRange>>(&selected);
  if (ranges == nullptr) return 0;
  fuzz::require(!ranges->empty() && ranges->size() <= 32);
  std::vector<int> uses(length, 0);
  for (const auto& range : *ranges) {
    fuzz::require(range.size > 0 && range.first < length && range.size <= length - range.first);
    for (std::uint64_t i = 0; i < range.size; ++i) fuzz::require(++uses[range.first + i] == 1);
  }
  return 0;
}
