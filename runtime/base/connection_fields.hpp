// Header fields that are about one connection, not about the message.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.hpp"

namespace fw::base {

struct ConnectionField {
  std::string_view name;
  bool is_in_http2;  ///< its messages must not have the others (RFC 9113, section 8.2.2)
};

/// An intermediary does not pass them on (RFC 9110, section 7.6.1).
inline constexpr std::array<ConnectionField, 7> kConnectionFields{{{"connection", false},
                                                                   {"keep-alive", false},
                                                                   {"proxy-connection", false},
                                                                   {"te", true},
                                                                   {"trailer", true},
                                                                   {"transfer-encoding", false},
                                                                   {"upgrade", false}}};

/// Is about the connection. The `Connection` of a message may name more.
inline bool is_connection_field(std::string_view name) {
  return std::ranges::any_of(kConnectionFields, [&](const ConnectionField& field) {
    return equal_ignoring_case(name, field.name);
  });
}

/// Is about the connection, and only HTTP/1.1 has it.
inline bool is_http1_field(std::string_view name) {
  return std::ranges::any_of(kConnectionFields, [&](const ConnectionField& field) {
    return !field.is_in_http2 && equal_ignoring_case(name, field.name);
  });
}

}  // namespace fw::base
