// Cookie fields: every pair that is read has a name, and is the first of that name.
#include <fairway/fields.hpp>

#include "fuzz.hpp"
#include "http/cookies.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fw::TextMap cookies;
  fw::http::parse_cookies(fuzz::text_of(data, size), cookies);
  for (const auto& [name, value] : cookies) {
    fuzz::require(!name.empty());
    fuzz::require(cookies.find(name) == value);
  }
  return 0;
}
