// Heads of an upstream's responses, line by line: what is accepted is final, has no control
// characters, and says in one way at most where its body ends.
#include <algorithm>

#include "base/ascii.hpp"
#include "client/response_parser.hpp"
#include "fuzz.hpp"
#include "http/field_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fw::client::ResponseParser;
  std::string_view bytes = fuzz::text_of(data, size);
  ResponseParser parser;
  while (!bytes.empty()) {
    const auto line = bytes.substr(0, std::min(bytes.find('\n'), bytes.size() - 1) + 1);
    bytes.remove_prefix(line.size());
    const auto state = parser.add(line);
    if (state == ResponseParser::State::rejected) {
      fuzz::require(!parser.error().empty());
      return 0;
    }
    if (state == ResponseParser::State::complete) break;
    if (bytes.empty()) return 0;
  }
  if (size == 0) return 0;
  fuzz::require(parser.status() >= 200 && parser.status() <= 599);
  fuzz::require(parser.fields().size() <= 256);
  int body_ends = 0;
  for (const auto& [name, value] : parser.fields()) {
    fuzz::require(fw::base::is_token(name) && fw::http::is_field_value(value));
    if (fw::base::equal_ignoring_case(name, "content-length") ||
        fw::base::equal_ignoring_case(name, "transfer-encoding")) {
      ++body_ends;
    }
  }
  fuzz::require(body_ends <= 1);
  return 0;
}
