// Pages of the admin listener (docs/metrics.md).
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "app/admin_server.hpp"
#include "cluster/cluster_view.hpp"

namespace fw::detail {

/// The methods of the page. Only PUT changes the level: a web page cannot send that without
/// permission, unlike a POST.
inline constexpr std::string_view kLogLevelMethods = "GET, HEAD, PUT";

/// The level in the body of a PUT; nothing for other methods. Throws HttpError.
std::optional<LogLevel> sent_log_level(http::Transaction& transaction);
/// Changes the threshold, and reports that in the log.
void change_log_level(const Logger& logger, LogLevel level);
/// `no_response`: the workers of a cluster that have not confirmed the change.
AdminPage log_level_page(LogLevel level, std::span<const pid_t> no_response = {});

// cluster_pages.cpp: The pages of a cluster, which the supervisor serves.

/// The logger is the supervisor's. The arguments must outlive the rows.
std::vector<AdminServer::Row> cluster_pages(const Config& config, const Logger& logger,
                                            cluster::ClusterView& view);

// push_exposition.cpp: The metrics of the event streams and the sockets of routes.

class Exposition;
struct Route;

void write_push_figures(Exposition& text, std::span<const Route* const> routes);

}  // namespace fw::detail
