// Why a request is refused before any handler sees it.
#pragma once

#include <string_view>

namespace fw::http {

/// The status of the response and a message for the person who wrote the client. The text is
/// static.
struct RequestError {
  int status = 400;
  std::string_view message;
};

}  // namespace fw::http
