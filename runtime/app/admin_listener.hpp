// The listener for those who operate the application: `admin` (docs/metrics.md).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/admin_server.hpp"
#include "app/app_core.hpp"
#include "app/waiting_probes.hpp"
#include "cluster/worker_link.hpp"
#include "cluster/worker_role.hpp"
#include "http/adapter.hpp"
#include "observe/exposition.hpp"

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

  /// Opens it, or, for a worker of a cluster, responds to the supervisor, which has the listener of
  /// all. The application, which must have been prepared, and the role must outlive it. Throws
  /// std::system_error.
  AdminListener(AppCore& core, Figures figures, const cluster::WorkerRole* role);

  void set_phase(Phase phase) { phase_ = phase; }
  /// Closes it, and waits for running probes as `http::Adapter::stop`.
  bool stop(std::chrono::milliseconds grace);

 private:
  using Page = AdminPage;
  struct PageRow {
    std::string_view path;
    std::string_view allow;
    Page (AdminListener::*make)(http::Transaction& transaction);  ///< may throw HttpError
  };
  static const std::array<PageRow, 6> kPages;

  std::optional<std::string> respond_to(cluster::WorkerQuestion question,
                                        std::uint8_t argument) noexcept;
  void write_metrics(Exposition& text) const;
  Page ready_page();
  std::string requests_text();
  Page liveness(http::Transaction& transaction);
  Page readiness(http::Transaction& transaction);
  Page metrics(http::Transaction& transaction);
  Page requests(http::Transaction& transaction);
  Page configuration(http::Transaction& transaction);
  Page log_level(http::Transaction& transaction);

  AppCore& core_;
  const Figures figures_;
  std::atomic<Phase> phase_ = Phase::starting;
  WaitingProbes probes_;
  // One of them, last, because their threads use the other members.
  std::unique_ptr<AdminServer> server_;
  std::unique_ptr<cluster::WorkerResponder> responder_;
};

}  // namespace fw::detail
