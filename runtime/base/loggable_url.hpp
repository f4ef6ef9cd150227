// URLs in log lines and messages.
#pragma once

#include <string>
#include <string_view>

namespace fw::base {

/// The URL without what may be a secret: "https://api.example.com/users?token=…&page=…" for
/// "https://user:password@api.example.com/users?token=s3cret&page=2#part".
std::string loggable_url(std::string_view url);

/// The text with each occurrence of `url` replaced by `loggable_url(url)`.
std::string without_secrets_of(std::string_view url, std::string text);

}  // namespace fw::base
