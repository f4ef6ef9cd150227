// Messages of errors for clients, and for operators if an application cannot start.
#pragma once

#include <fairway/errors.hpp>
#include <fairway/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

/// The name of a status in the messages of the framework's errors (docs/errors.md).
std::string_view status_name(int status);

/// The framework's error with a status. Its message is the name of the status, and what is wrong:
/// "Bad Request: malformed request body".
HttpError status_error(int status, std::string_view detail = {});

/// The message of an error that was raised without one: "Not Found" for 404. Other statuses have
/// one message for 4xx and one for 5xx.
std::string_view default_message(int status);

/// Replaces each `{{name}}` with the value in the object `params`; unknown names are kept.
std::string fill_template(std::string_view text, const Json& params);

/// Prints each error as a line on standard error: "my-api: error: …".
void report_startup_errors(const std::vector<std::string>& errors);

// details.cpp

/// The details for the response: at most eight levels deep, scalars wrapped in an object; null if
/// nothing remains.
Json clean_details(const Json& details);

}  // namespace fw::detail
