// Hides what may be secret in what `fairway dev` shows of requests, by its name.
#pragma once

#include <string>
#include <string_view>

namespace fairway::dev {

/// Is shown instead of a value.
inline constexpr std::string_view kMasked = "***";

/// Whether the value of a field, a query parameter or a member with this name is hidden.
bool is_secret_name(std::string_view name);

/// The text with the values of secret names replaced, in "a=1&b=2".
std::string masked_pairs(std::string_view pairs);

/// A URL or a request target, with its query masked.
std::string masked_target(std::string_view target);

/// The value of a header field.
std::string masked_field(std::string_view name, std::string_view value);

/// A body of that media type: JSON, a form or plain text. Empty if it is another type, which is not
/// shown, or JSON that cannot be parsed, because it is cut off for example.
std::string masked_body(std::string_view media_type, std::string_view body);

}  // namespace fairway::dev
