// What errors say: to clients, and to operators when an application cannot start.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

// Messages of the framework's own errors (reference: Errors). Reason phrases are others: RFC 9110
// calls 413 "Content Too Large".
inline constexpr std::string_view kMethodNotAllowed = "Method Not Allowed";
inline constexpr std::string_view kPayloadTooLarge = "Payload Too Large";
inline constexpr std::string_view kRequestTimeout = "Request Timeout";
inline constexpr std::string_view kServiceUnavailable = "Service Unavailable";

/// The message of an error that was raised without one: "Not Found" for 404. Statuses without a
/// message of their own share one for 4xx and one for 5xx.
std::string_view default_message(int status);

/// Fills each `{{name}}` from the object `params`; a name it does not have stays as it is.
std::string fill_template(std::string_view text, const Json& params);

/// Prints each error as a line on standard error: "my-api: error: …".
void report_startup_errors(const std::vector<std::string>& errors);

}  // namespace fw::detail
