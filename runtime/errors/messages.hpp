// Messages of errors for clients, and for operators if an application cannot start.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

// Messages of the framework's errors (docs/errors.md). They differ from the reason phrases of
// RFC 9110, which calls 413 "Content Too Large".
inline constexpr std::string_view kMethodNotAllowed = "Method Not Allowed";
inline constexpr std::string_view kPayloadTooLarge = "Payload Too Large";
inline constexpr std::string_view kRequestTimeout = "Request Timeout";
inline constexpr std::string_view kServiceUnavailable = "Service Unavailable";

/// The message of an error that was raised without one: "Not Found" for 404. Other statuses have
/// one message for 4xx and one for 5xx.
std::string_view default_message(int status);

/// Replaces each `{{name}}` with the value in the object `params`; unknown names are kept.
std::string fill_template(std::string_view text, const Json& params);

/// Prints each error as a line on standard error: "my-api: error: …".
void report_startup_errors(const std::vector<std::string>& errors);

}  // namespace fw::detail
