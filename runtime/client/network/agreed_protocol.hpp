// The protocol that client and server have agreed on by ALPN.
#pragma once

#include <curl/curl.h>

namespace fw::outbound {

/// Whether the current connection of the handle speaks HTTP/2. False if it cannot be known, because
/// the TLS library of libcurl is not the one of this program.
bool has_agreed_on_http2(CURL* curl);

}  // namespace fw::outbound
