#include <fairway/logger.hpp>

#include <atomic>
#include <stdexcept>
#include <utility>

#include "exchange/current.hpp"
#include "logging/log_event.hpp"
#include "observe/active_span.hpp"

namespace fw {

struct Logger::State {
  std::shared_ptr<LogSink> sink;
  std::atomic<LogLevel> level;
};

Logger::Logger(std::shared_ptr<LogSink> sink, LogLevel level) : state_(std::make_shared<State>()) {
  if (!sink) throw std::invalid_argument("a logger needs a sink");
  state_->sink = std::move(sink);
  state_->level = level;
}

void Logger::log(LogLevel level, std::string_view message, Json fields) const {
  if (!enabled(level)) return;
  const detail::RequestContext* context = detail::current_context();
  // No response depends on what a sink reads.
  const detail::UnrecordedScope scope;
  const LogRecord record{
      .level = level,
      .time = std::chrono::system_clock::now(),
      .request_id = context != nullptr ? context->request_id : std::string_view(),
      .user = context != nullptr ? context->logged_user() : std::string_view(),
      .bindings = bindings_,
      .fields = fields,
      .message = message,
      .trace_id = context != nullptr ? context->trace_id() : std::string_view()};
  state_->sink->write(record);
  if (const auto* const span = detail::current_span()) detail::add_log_event(*span->trace, record);
}

bool Logger::enabled(LogLevel level) const {
  return level >= state_->level.load(std::memory_order_relaxed) && level < LogLevel::silent;
}

LogLevel Logger::level() const { return state_->level.load(std::memory_order_relaxed); }

void Logger::set_level(LogLevel level) const {
  state_->level.store(level, std::memory_order_relaxed);
}

Logger Logger::child(Json bindings) const {
  Logger result = *this;
  if (result.bindings_.is_null()) {
    result.bindings_ = std::move(bindings);
  } else {
    result.bindings_.update(bindings);
  }
  return result;
}

const std::shared_ptr<LogSink>& Logger::sink() const { return state_->sink; }

}  // namespace fw
