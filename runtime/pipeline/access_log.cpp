// One line for each request that returns normally (reference: Access log rules).
#include <fairway/text_writer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

constexpr double kKilobyte = 1024;
constexpr double kMegabyte = 1024 * 1024;

void put_size(TextWriter& line, std::optional<std::uint64_t> size) {
  if (!size) return;
  const auto bytes = static_cast<double>(*size);
  if (*size == 0) {
    line.put(" [-]");
  } else if (bytes < kKilobyte) {
    line.put(" [");
    line.put_number(*size);
    line.put("B]");
  } else if (bytes < kMegabyte) {
    line.put(fmt::format(" [{:.1f}kB]", bytes / kKilobyte));
  } else {
    line.put(fmt::format(" [{:.1f}MB]", bytes / kMegabyte));
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
    TextWriter line;
    write_line(line, exchange, status, duration, slow);
    exchange.env.logger.log(level, line.content());
  }

 private:
  void write_line(TextWriter& line, Exchange& exchange, int status, std::int64_t milliseconds,
                  bool slow) const {
    line.put(exchange.head.method);
    line.put(' ');
    line.put(exchange.path);
    line.put(' ');
    line.put_number(status);
    line.put(' ');
    line.put_number(milliseconds);
    line.put("ms | ");
    line.put(exchange.ip());
    if (config_.log_response_size) put_size(line, exchange.outgoing.size());
    if (slow) line.put(" [SLOW]");
  }

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
