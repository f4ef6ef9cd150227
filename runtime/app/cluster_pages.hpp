// The pages of the admin listener of a cluster, which the supervisor serves (docs/metrics.md).
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <vector>

#include "app/admin_server.hpp"
#include "cluster/cluster_view.hpp"

namespace fw::detail {

/// The logger is the supervisor's. The arguments must outlive the rows.
std::vector<AdminServer::Row> cluster_pages(const Config& config, const Logger& logger,
                                            cluster::ClusterView& view);

}  // namespace fw::detail
