// The framing of a message: the length of its body, and whether the connection is kept (RFC 9112, 6
// and 9). Ambiguous framing is an error, so that no proxy can read other requests from the same
// bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "http/adapter.hpp"

namespace fw::http {

struct Framing {
  bool keep_alive = true;
  bool chunked = false;
  bool expects_continue = false;
  bool is_http_1_0 = false;
  std::optional<std::uint64_t> content_length;

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

/// Reads `framing` from the fields; `framing.is_http_1_0` must be set.
std::optional<RequestError> parse_framing(const Fields& fields, Framing& framing);

/// The same for the fields of a response.
std::optional<RequestError> parse_response_framing(const Fields& fields, Framing& framing);

/// An authority without user information: a host, an IPv6 address in brackets, an optional port.
bool is_authority(std::string_view text);

}  // namespace fw::http
