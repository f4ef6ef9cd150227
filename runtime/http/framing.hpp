// What the fields of a request say about its message: where the body ends and whether the
// connection goes on (RFC 9112, 6 and 9). Ambiguous framing is an error, so that no proxy
// in front can see other requests in the same bytes.
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

/// Reads `framing` from the fields; `framing.is_http_1_0` is given.
std::optional<RequestError> parse_framing(const Fields& fields, Framing& framing);

/// What is ambiguous about where the body of a response ends; of the fields of a response.
std::optional<RequestError> check_response_framing(const Fields& fields, bool is_http_1_0);

/// An authority without user information: a host, an IPv6 address in brackets, an optional port.
bool is_authority(std::string_view text);

}  // namespace fw::http
