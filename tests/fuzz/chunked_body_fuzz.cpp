// Chunked bodies: what comes out does not depend on how the bytes arrive, and is never too much.
#include <algorithm>
#include <string>

#include "fuzz.hpp"
#include "http/body_decoder.hpp"

namespace {

using fw::http::BodyDecoder;
using Status = BodyDecoder::Status;

constexpr std::uint64_t kLimit = 1000;

struct Decoded {
  Status status = Status::need_more;
  std::string content;
  std::size_t used = 0;
};

BodyDecoder decoder_of_chunks() {
  fw::http::Framing framing;
  framing.chunked = true;
  return {framing, kLimit};
}

/// Gives the decoder so many bytes more each time.
Decoded decode(std::string_view bytes, std::size_t step) {
  auto decoder = decoder_of_chunks();
  Decoded result;
  for (std::size_t end = 0; end < bytes.size() && result.status == Status::need_more;) {
    end = std::min(end + step, bytes.size());
    auto input = bytes.substr(result.used, end - result.used);
    const auto before = input.size();
    result.status = decoder.decode(input, &result.content);
    result.used += before - input.size();
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  const auto at_once = decode(bytes, std::max<std::size_t>(bytes.size(), 1));
  fuzz::require(at_once.content.size() <= kLimit);
  fuzz::require(at_once.used <= bytes.size());
  if (at_once.status == Status::complete) {
    fuzz::require(bytes.substr(at_once.used - 2, 2) == "\r\n");
  }
  for (const std::size_t step : {1U, 2U, 7U}) {
    const auto in_pieces = decode(bytes, step);
    fuzz::require(in_pieces.status == at_once.status);
    fuzz::require(in_pieces.content == at_once.content);
    if (at_once.status == Status::complete) fuzz::require(in_pieces.used == at_once.used);
  }
  return 0;
}
