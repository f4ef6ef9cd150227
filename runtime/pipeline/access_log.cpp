// One line for each request that returns normally (reference: Access log rules).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/text.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

using namespace std::string_view_literals;

constexpr double kKilobyte = 1024;
constexpr double kMegabyte = 1024 * 1024;

void append_size(std::string& line, std::optional<std::uint64_t> size) {
  if (!size) return;
  const auto bytes = static_cast<double>(*size);
  if (*size == 0) {
    line += " [-]";
  } else if (bytes < kKilobyte) {
    fmt::format_to(std::back_inserter(line), " [{}B]", *size);
  } else if (bytes < kMegabyte) {
    fmt::format_to(std::back_inserter(line), " [{:.1f}kB]", bytes / kKilobyte);
  } else {
    fmt::format_to(std::back_inserter(line), " [{:.1f}MB]", bytes / kMegabyte);
  }
}

class AccessLog : public Stage {
 public:
  explicit AccessLog(const AccessLogConfig& config) : config_(config) {}

  void run(Exchange& exchange, const Rest& rest) const override {
    const auto start = exchange.begin(std::chrono::steady_clock::now());
    rest(exchange);
    if (is_skipped(exchange.path)) return;
    const auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - start)
                              .count();
    const int status = exchange.outgoing.status;
    const bool slow =
        status < 500 && config_.slow_threshold > 0 && duration > config_.slow_threshold;
    const LogLevel level = level_of(status, slow);
    if (!exchange.env.logger.enabled(level)) return;
    thread_local std::string line;
    line.clear();
    line += exchange.head.method;
    line += ' ';
    line += exchange.path;
    line += ' ';
    base::append_number(line, status);
    line += ' ';
    base::append_number(line, duration);
    line.append("ms | "sv).append(exchange.ip());
    if (config_.log_response_size) append_size(line, exchange.outgoing.size());
    if (slow) line += " [SLOW]";
    exchange.env.logger.log(level, line);
  }

 private:
  bool is_skipped(std::string_view path) const {
    const auto is_prefix = [&](const std::string& prefix) { return path.starts_with(prefix); };
    return std::find(config_.skip_paths.begin(), config_.skip_paths.end(), path) !=
               config_.skip_paths.end() ||
           std::any_of(config_.skip_path_prefixes.begin(), config_.skip_path_prefixes.end(),
                       is_prefix);
  }

  LogLevel level_of(int status, bool slow) const {
    if (status >= 500) return LogLevel::error;
    if (slow || (status >= 400 && config_.warn_on4xx)) return LogLevel::warn;
    return config_.level;
  }

  const AccessLogConfig& config_;
};

}  // namespace

Stages access_log_stage(const Composition& composition) {
  if (!composition.env.config.access_log.enabled) return {};
  return one_stage<AccessLog>(composition.env.config.access_log);
}

}  // namespace fw::detail
