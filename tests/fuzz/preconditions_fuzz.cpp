// If-* fields: a list names a tag strongly only if it does so weakly, and a date is read back from
// what is written for it. The first line is a list of tags, the rest a date.
#include <string>
#include <string_view>

#include "features/cache/preconditions.hpp"
#include "fuzz.hpp"
#include "http/http_date.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fw::detail::names_entity_tag;
  using fw::detail::TagComparison;
  const std::string_view input = fuzz::text_of(data, size);
  const auto end = input.find('\n');
  const std::string_view list = input.substr(0, end);
  for (const std::string_view tag : {"\"a\"", "W/\"a\"", "\"a,b\"", "\"\""}) {
    const bool is_named = names_entity_tag(list, tag, TagComparison::weak);
    fuzz::require(is_named || !names_entity_tag(list, tag, TagComparison::strong));
    fuzz::require(!is_named || list.find('*') != list.npos || list.find('"') != list.npos);
  }
  // Only a well-formed tag names itself.
  const bool names_itself = names_entity_tag(list, list, TagComparison::weak);
  fuzz::require(!names_itself || list.find('"') != list.rfind('"') || list.find('*') != list.npos);
  const auto date = fw::http::parse_http_date(end == input.npos ? input : input.substr(end + 1));
  if (date) fuzz::require(fw::http::parse_http_date(fw::http::format_http_date(*date)) == date);
  return 0;
}
