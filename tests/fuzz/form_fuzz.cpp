// Queries, urlencoded bodies and paths: what is decoded is UTF-8.
#include "base/url_encoding.hpp"
#include "base/utf8.hpp"
#include "fuzz.hpp"

namespace {

bool is_utf8(std::string_view text) { return fw::base::count_code_points(text).well_formed; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const fw::TextMap query = fw::base::parse_query(text);
  fw::base::for_each_form_pair(text, [&](const std::string& name, const std::string& value) {
    fuzz::require(is_utf8(name) && is_utf8(value));
    fuzz::require(query.find(name).has_value());
  });
  if (const auto path = fw::base::decode_path(text)) fuzz::require(is_utf8(*path));
  return 0;
}
