// Frames that a generated client reads in parts of any size, against the same in one part, and
// against the bounds of a message; and the head of the response that opens a socket.
#define FAIRWAY_CLIENT_WITH_SOCKETS
#include <fairway_client_support.hpp>

#include "fuzz.hpp"

namespace {

namespace detail = fairway_client::detail;
using Event = detail::FrameReader::Event;

constexpr std::size_t kMaxMessage = 300;

/// What was read, up to the first close frame or error.
std::vector<std::string> in_parts(std::string_view bytes, std::size_t size) {
  detail::FrameReader reader(kMaxMessage);
  std::vector<std::string> events;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, size);
    bytes.remove_prefix(part.size());
    while (!part.empty()) {
      switch (reader.read(part)) {
        case Event::none:
          break;
        case Event::message: {
          const std::string message = reader.take_message();
          fuzz::require(message.size() <= kMaxMessage);
          fuzz::require(!reader.is_text() || detail::is_utf8(message));
          events.push_back((reader.is_text() ? "text " : "bytes ") + message);
          break;
        }
        case Event::ping:
          fuzz::require(reader.payload().size() <= 125);
          events.push_back("ping " + reader.payload());
          break;
        case Event::pong:
          events.emplace_back("pong");
          break;
        case Event::close:
          fuzz::require(detail::is_utf8(reader.payload()));
          events.push_back("close " + std::to_string(reader.code()) + reader.payload());
          return events;
        case Event::failed:
          fuzz::require(reader.code() == 1002 || reader.code() == 1007 || reader.code() == 1009);
          events.push_back("failed " + std::to_string(reader.code()));
          return events;
      }
    }
  }
  return events;
}

void read_response(std::string_view text) {
  fairway_client::ResponseInfo info;
  std::string reason;
  const std::size_t end = std::min(text.find("\r\n\r\n"), text.size());
  if (!detail::parse_response_head(text.substr(0, end), info, reason)) return;
  fuzz::require(info.status >= 100 && info.status <= 999);
  detail::opening_error(info, "key", {"chat"});
  const std::string_view body = text.substr(std::min(end + 4, text.size()));
  const auto complete = detail::error_body(info, body, true);
  fuzz::require(complete && complete->size() <= body.size());
  const auto soon = detail::error_body(info, body, false);
  fuzz::require(!soon || soon == complete);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  const auto expected = in_parts(bytes, std::max<std::size_t>(bytes.size(), 1));
  fuzz::require(in_parts(bytes, std::max<std::size_t>(data[0], 1)) == expected);
  fuzz::require(in_parts(bytes, 1) == expected);
  read_response(bytes);
  return 0;
}
