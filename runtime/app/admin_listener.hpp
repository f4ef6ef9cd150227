// The listener for those who operate the application: `admin` (docs/metrics.md).
#pragma once

#include <fairway/logger.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/app_core.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// Serves health, metrics, the requests in progress, the configuration and the log level. The
/// destructor closes it.
class AdminListener {
 public:
  enum class Phase : std::uint8_t {
    starting,
    serving,
    stopping,  ///< requests are completed, no new ones should come
  };
  /// The figures of the server's engine, if it runs. Called on any thread.
  using Figures = std::function<std::optional<http::AdapterFigures>()>;

  /// Opens it. The application must have been prepared, and outlive it. Throws std::system_error.
  AdminListener(AppCore& core, Figures figures);

  void set_phase(Phase phase) { phase_ = phase; }
  /// Closes it, and waits for running probes as `http::Adapter::stop`.
  bool stop(std::chrono::milliseconds grace) { return adapter_->stop(grace); }

 private:
  struct Page {
    int status;
    std::string_view content_type;
    std::string body;
  };
  struct PageRow {
    std::string_view path;
    std::string_view allow;
    Page (AdminListener::*make)(http::Transaction& transaction);  ///< may throw HttpError
  };
  static const std::array<PageRow, 6> kPages;

  void handle(http::Transaction& transaction);
  bool has_token(const http::RequestHead& head) const;
  bool has_own_host(const http::RequestHead& head) const;
  static void respond_with_error(http::Transaction& transaction, const Config& config, int status,
                                 std::string_view field = {}, std::string_view value = {},
                                 std::string_view message = {});
  static void respond(http::Transaction& transaction, const Page& page);
  Page liveness(http::Transaction& transaction);
  Page readiness(http::Transaction& transaction);
  Page metrics(http::Transaction& transaction);
  Page requests(http::Transaction& transaction);
  Page configuration(http::Transaction& transaction);
  Page log_level(http::Transaction& transaction);
  void set_log_level(LogLevel level);

  AppCore& core_;
  const Figures figures_;
  std::atomic<Phase> phase_ = Phase::starting;
  std::unique_ptr<http::Adapter> adapter_;  // last, because its threads use the other members
};

}  // namespace fw::detail
