// The response to a connection of HTTP/2 that is above a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fw::http {

/// The frames that end a connection before its first request, which its client may send again on
/// another one (RFC 9113, 6.8): SETTINGS, and GOAWAY with this reason for people.
inline std::string http2_rejection(std::string_view reason) {
  constexpr std::size_t kGoawayHead = 8;  // the last stream and the error code: 0
  constexpr char kSettings = 4;
  constexpr char kGoaway = 7;
  std::string frames;
  const auto add_head = [&](std::size_t size, char type) {
    for (const unsigned shift : {16U, 8U, 0U}) frames += static_cast<char>(size >> shift & 0xFF);
    frames += type;
    frames.append(5, '\0');  // no flags, stream 0
  };
  add_head(0, kSettings);
  add_head(kGoawayHead + reason.size(), kGoaway);
  frames.append(kGoawayHead, '\0');
  return frames.append(reason);
}

}  // namespace fw::http
