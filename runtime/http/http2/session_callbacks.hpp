// What libnghttp2 calls for the frames of a connection.
#pragma once

#include <nghttp2/nghttp2.h>

namespace fw::http {

class Http2Stream;

/// The functions of an Http2Session, which the library must get as its user data.
const nghttp2_session_callbacks* session_callbacks();

/// The body of the response of a stream.
nghttp2_data_provider output_of(Http2Stream& stream);

}  // namespace fw::http
