// Heads of requests: what is accepted has no control characters, and one framing at most.
#include <algorithm>

#include "fuzz.hpp"
#include "http/request_head.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fw::http;
  RequestHead head;
  Framing framing;
  if (parse_request_head(fuzz::text_of(data, size), 100, head, framing)) return 0;
  const auto is_visible = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; };
  fuzz::require(!head.method.empty());
  fuzz::require(std::all_of(head.method.begin(), head.method.end(), is_visible));
  fuzz::require(std::all_of(head.target.begin(), head.target.end(), is_visible));
  fuzz::require(head.fields.size() <= 100);
  fuzz::require(!(framing.chunked && framing.content_length));
  return 0;
}
