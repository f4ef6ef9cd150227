// Serves the pages of an admin listener: who may read them, and where they are (docs/metrics.md).
#pragma once

#include <fairway/config.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/adapter.hpp"

namespace fw::detail {

struct AdminPage {
  int status;
  std::string_view content_type;
  std::string body;
};

inline constexpr std::string_view kJsonPage = "application/json; charset=utf-8";
/// Of pages that cannot be changed.
inline constexpr std::string_view kReadOnlyPage = "GET, HEAD";

/// Probes wait for checks and for other processes. Each address leaves threads for other addresses.
inline constexpr std::size_t kMaxAdminWorkers = 32;
/// A client that knows no token must not keep probes out, by many connections or slow heads.
inline constexpr std::size_t kMaxAdminConnectionsPerAddress = 16;

/// The destructor closes it.
class AdminServer {
 public:
  struct Row {
    std::string_view path;
    std::string_view allow;
    std::function<AdminPage(http::Transaction&)> make;  ///< may throw HttpError
  };

  /// Opens it. The configuration must outlive it. Throws std::system_error.
  AdminServer(const Config& config, std::vector<Row> rows);

  /// Closes it, and waits for running probes as `http::Adapter::stop`.
  bool stop(std::chrono::milliseconds grace) { return adapter_->stop(grace); }

 private:
  void handle(http::Transaction& transaction) const;
  bool has_token(const http::RequestHead& head) const;
  bool has_own_host(const http::RequestHead& head) const;
  static void respond_with_error(http::Transaction& transaction, const Config& config, int status,
                                 std::string_view field = {}, std::string_view value = {},
                                 std::string_view message = {});
  static void respond(http::Transaction& transaction, const AdminPage& page);

  const Config& config_;
  const std::vector<Row> rows_;
  std::unique_ptr<http::Adapter> adapter_;  // last, because its threads use the other members
};

}  // namespace fw::detail
