#include "pipeline/access_log.hpp"

#include <fairway/text_writer.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "chain/stages.hpp"
#include "features/events/event_channel.hpp"
#include "features/sockets/socket_channel.hpp"

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

using std::chrono::steady_clock;

std::int64_t milliseconds_between(steady_clock::time_point begin, steady_clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - begin).count();
}

std::int64_t milliseconds_since(steady_clock::time_point begin) {
  return milliseconds_between(begin, steady_clock::now());
}

/// What the line of a request says of it.
struct AccessLine {
  std::string_view method;
  std::string_view path;
  std::string_view ip;
};

void write_line(TextWriter& line, const AccessLine& request, const AccessEntry& entry,
                std::int64_t milliseconds, bool has_size, bool slow) {
  line.put(request.method);
  line.put(' ');
  line.put(request.path);
  line.put(' ');
  line.put_number(entry.status);
  line.put(' ');
  line.put_number(milliseconds);
  line.put("ms | ");
  line.put(request.ip);
  if (has_size) put_size(line, entry.size);
  if (slow) line.put(" [SLOW]");
}

bool is_skipped(const AccessLogConfig& config, std::string_view path) {
  // Loops, because most lists are empty, and the functions of the library unroll theirs.
  for (const std::string& each : config.skip_paths) {
    if (path == each) return true;
  }
  for (const std::string& each : config.skip_path_prefixes) {
    if (path.starts_with(each)) return true;
  }
  return false;
}

LogLevel level_of(const AccessLogConfig& config, int status, bool slow) {
  if (status >= 500) return LogLevel::error;
  if (slow || (status >= 400 && config.warn_on4xx)) return LogLevel::warn;
  return config.level;
}

void log_line(Exchange& exchange, const AccessEntry& entry, bool slow) {
  const AccessLogConfig& config = exchange.env.config.access_log;
  const LogLevel level = level_of(config, entry.status, slow);
  if (!exchange.env.logger.enabled(level)) return;
  TextWriter line;
  write_line(line, {exchange.head.method, exchange.path, exchange.ip()}, entry,
             milliseconds_between(entry.begin, entry.end), config.log_response_size, slow);
  exchange.env.logger.log(level, line.content());
}

/// Writes the line of a stream when it has ended, which may be long after its exchange. `slow`: the
/// head was.
auto report_of_stream(Exchange& exchange, const AccessEntry& entry, bool slow) {
  const Environment& env = exchange.env;
  return [&env, method = std::string(exchange.head.method), path = std::string(exchange.path),
          ip = std::string(exchange.ip()), entry, slow,
          context = exchange.context.for_thread()](std::uint64_t bytes) {
    const AccessLogConfig& config = env.config.access_log;
    const LogLevel level = level_of(config, entry.status, slow);
    if (!env.logger.enabled(level)) return;
    const CurrentContextScope scope(env.config.request_context.enabled ? &context : nullptr);
    TextWriter line;
    write_line(line, {method, path, ip}, {entry.status, bytes, entry.begin},
               milliseconds_since(entry.begin), config.log_response_size, slow);
    env.logger.log(level, line.content());
  };
}

/// Writes a second line when a socket has been closed, with the code instead of the status. It is
/// an error if a handler has failed.
auto report_of_socket(Exchange& exchange, const AccessEntry& entry) {
  const Environment& env = exchange.env;
  return [&env, path = std::string(exchange.path), ip = std::string(exchange.ip()),
          begin = entry.begin](const SocketChannel::Totals& totals) {
    const AccessLogConfig& config = env.config.access_log;
    const int code = totals.reason.code;
    const LogLevel level = code == http::websocket::kInternalError ? LogLevel::error : config.level;
    if (!env.logger.enabled(level)) return;
    TextWriter line;
    write_line(line, {base::kSocketMethod, path, ip}, {code, totals.bytes, begin},
               milliseconds_since(begin), config.log_response_size, false);
    line.put(fmt::format(" | {} received, {} sent", totals.received, totals.sent));
    env.logger.log(level, line.content());
  };
}

/// The line of a request whose later stages return normally.
class AccessLog : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    const bool is_measured = exchange.began != steady_clock::time_point();
    const auto begin = is_measured ? exchange.began : exchange.start_time(steady_clock::now());
    next(exchange);
    end_with_access_line(exchange, begin);
  }
};

}  // namespace

bool logs_all_responses(const Config& config) {
  return config.access_log.enabled && config.access_log.errors;
}

void write_line_at_deadline(Exchange& exchange, const AccessEntry& entry) {
  const AccessLogConfig& config = exchange.env.config.access_log;
  if (is_skipped(config, exchange.path)) return;
  log_line(exchange, entry, false);
}

void write_access_line(Exchange& exchange, const AccessEntry& entry) {
  const AccessLogConfig& config = exchange.env.config.access_log;
  if (is_skipped(config, exchange.path)) return;
  if (const auto channel = EventChannel::of(exchange.outgoing)) {
    return channel->add_report(report_of_stream(exchange, entry, false));
  }
  if (const auto channel = SocketChannel::of(exchange.outgoing)) {
    channel->add_report(report_of_socket(exchange, entry));
  }
  const auto duration = milliseconds_between(entry.begin, entry.end);
  const bool slow =
      entry.status < 500 && config.slow_threshold > 0 && duration > config.slow_threshold;
  if (exchange.outgoing.arrives_later()) {
    exchange.outgoing.add_report(report_of_stream(exchange, entry, slow));
    return;
  }
  log_line(exchange, entry, slow);
}

void end_with_access_line(Exchange& exchange, steady_clock::time_point begin) {
  const AccessEntry entry{exchange.outgoing.status, exchange.outgoing.size(), begin};
  exchange.ended = entry.end;
  write_access_line(exchange, entry);
}

Stages access_log_stage(const StageContext& context) {
  const Config& config = context.env.config;
  if (!config.access_log.enabled || logs_all_responses(config)) return {};
  return one_stage<AccessLog>();
}

}  // namespace fw::detail
