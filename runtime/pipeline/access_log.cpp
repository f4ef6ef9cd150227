#include "pipeline/access_log.hpp"

#include <fairway/text_writer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "chain/stages.hpp"

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

void write_line(TextWriter& line, Exchange& exchange, const AccessEntry& entry,
                std::int64_t milliseconds, bool slow) {
  line.put(exchange.head.method);
  line.put(' ');
  line.put(exchange.path);
  line.put(' ');
  line.put_number(entry.status);
  line.put(' ');
  line.put_number(milliseconds);
  line.put("ms | ");
  line.put(exchange.ip());
  if (exchange.env.config.access_log.log_response_size) put_size(line, entry.size);
  if (slow) line.put(" [SLOW]");
}

bool is_skipped(const AccessLogConfig& config, std::string_view path) {
  const auto is_prefix = [&](const std::string& prefix) { return path.starts_with(prefix); };
  return std::find(config.skip_paths.begin(), config.skip_paths.end(), path) !=
             config.skip_paths.end() ||
         std::any_of(config.skip_path_prefixes.begin(), config.skip_path_prefixes.end(), is_prefix);
}

LogLevel level_of(const AccessLogConfig& config, int status, bool slow) {
  if (status >= 500) return LogLevel::error;
  if (slow || (status >= 400 && config.warn_on4xx)) return LogLevel::warn;
  return config.level;
}

/// The line of a request whose later stages return normally.
class AccessLog : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    const auto begin = exchange.start_time(std::chrono::steady_clock::now());
    next(exchange);
    write_access_line(exchange, {exchange.outgoing.status, exchange.outgoing.size(), begin});
  }
};

}  // namespace

bool logs_all_responses(const Config& config) {
  return config.access_log.enabled && config.access_log.errors;
}

void write_access_line(Exchange& exchange, const AccessEntry& entry) {
  const AccessLogConfig& config = exchange.env.config.access_log;
  if (is_skipped(config, exchange.path)) return;
  const auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - entry.begin)
                            .count();
  const bool slow =
      entry.status < 500 && config.slow_threshold > 0 && duration > config.slow_threshold;
  const LogLevel level = level_of(config, entry.status, slow);
  if (!exchange.env.logger.enabled(level)) return;
  TextWriter line;
  write_line(line, exchange, entry, duration, slow);
  exchange.env.logger.log(level, line.content());
}

Stages access_log_stage(const StageContext& context) {
  const Config& config = context.env.config;
  if (!config.access_log.enabled || logs_all_responses(config)) return {};
  return one_stage<AccessLog>();
}

}  // namespace fw::detail
