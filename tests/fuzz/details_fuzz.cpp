// `details` of errors: cleaning ends, can be sent, and leaves nothing to clean.
#include <fairway/json.hpp>

#include "errors/messages.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto details = fw::Json::parse(fuzz::text_of(data, size), nullptr, false);
  if (details.is_discarded()) return 0;
  const fw::Json cleaned = fw::detail::clean_details(details);
  fuzz::require(cleaned.is_null() || cleaned.is_structured());
  fuzz::require(fw::detail::clean_details(cleaned) == cleaned);
  return 0;
}
