// The state that all requests of an application share.
#pragma once

#include <fairway/config.hpp>
#include <fairway/generated/route_table.hpp>
#include <fairway/hooks.hpp>
#include <fairway/logger.hpp>
#include <fairway/rate_limiter.hpp>
#include <fairway/validator.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/deadline_timer.hpp"
#include "base/throttle.hpp"
#include "compression/compression_policy.hpp"
#include "errors/locales.hpp"
#include "http/buffer_budget.hpp"
#include "http/trusted_proxies.hpp"
#include "observe/active_requests.hpp"
#include "observe/request_metrics.hpp"
#include "observe/tracer.hpp"
#include "pages/pages.hpp"
#include "store/stores.hpp"

namespace fw {
class App;
}

namespace fw::detail {

/// Set up before the application serves; constant afterwards.
struct Environment {
  Environment(App& owner, Config settings, Logger initial_logger)
      : app(owner),
        config(std::move(settings)),
        logger(std::move(initial_logger)),
        trusted_proxies(config.trust_proxy) {}

  App& app;
  Config config;
  Features features;  ///< of all mounted tables
  Logger logger;
  http::TrustedProxies trusted_proxies;
  Hooks hooks;
  Locales locales;
  pages::Pages pages;
  store::Stores stores;
  std::shared_ptr<RateLimiter> rate_limiter;  ///< null for the framework's
  std::function<std::string()> generate_request_id;
  Validator validator;  ///< empty for the framework's
  std::function<bool(Request&)> skip_csrf;
  std::uint64_t body_limit = 0;  ///< bytes; for routes without their own limit
  compression::CompressionPolicy compression;
  /// Bodies and responses in memory (server.maxBufferedBytes). Null before the configuration has
  /// been read.
  std::shared_ptr<http::BufferBudget> buffers;
  /// Memory of the encoders that compress streams, which slow clients keep. Null before the
  /// configuration has been read.
  std::shared_ptr<http::BufferBudget> stream_encoders;
  std::unique_ptr<RequestMetrics> metrics;  ///< null: nothing is measured
  /// What `/requests` shows; null: requests are not listed. Streams and sockets share it.
  std::shared_ptr<ActiveRequests> active;
  std::unique_ptr<Tracer> tracer;  ///< null: there are no traces
  const std::shared_ptr<base::DeadlineTimer> deadlines = std::make_shared<base::DeadlineTimer>();
  /// Limits the log lines about a store that cannot be used.
  const std::shared_ptr<base::Throttle> store_errors =
      std::make_shared<base::Throttle>(std::chrono::seconds(1));
  /// Limits the log lines about a rate limiter that cannot count.
  const std::shared_ptr<base::Throttle> limiter_errors =
      std::make_shared<base::Throttle>(std::chrono::seconds(1));
  /// Limits the log lines about outbound requests that are cut off.
  const std::shared_ptr<base::Throttle> cut_off_requests =
      std::make_shared<base::Throttle>(std::chrono::seconds(1));
};

}  // namespace fw::detail
