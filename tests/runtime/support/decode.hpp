// Undoes content codings, with the libraries' own decoders.
#pragma once

#include <string>
#include <string_view>

namespace fw::support {

/// Throws std::runtime_error for bytes that are not a whole body in the coding, or that something
/// follows.
std::string decode(std::string_view coding, std::string_view bytes);

/// What can be decoded of the beginning of a body.
std::string decode_beginning(std::string_view coding, std::string_view bytes);

}  // namespace fw::support
