// The page /log-level of the admin listener (docs/metrics.md).
#pragma once

#include <fairway/logger.hpp>

#include <optional>
#include <string_view>

#include "app/admin_server.hpp"

namespace fw::detail {

/// The methods of the page. Only PUT changes the level: a web page cannot send that without
/// permission, unlike a POST.
inline constexpr std::string_view kLogLevelMethods = "GET, HEAD, PUT";

/// The level in the body of a PUT; nothing for other methods. Throws HttpError.
std::optional<LogLevel> sent_log_level(http::Transaction& transaction);
/// Changes the threshold, and reports that in the log.
void change_log_level(const Logger& logger, LogLevel level);
AdminPage log_level_page(LogLevel level);

}  // namespace fw::detail
