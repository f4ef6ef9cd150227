#include <fairway/logger.hpp>

#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "base/json_text.hpp"
#include "base/tree_guard.hpp"
#include "exchange/current.hpp"
#include "observe/active_span.hpp"
#include "observe/request_trace.hpp"

namespace fw {
namespace {

void set_attribute(detail::SpanEvent& event, std::string_view name, const Json& field) {
  if (field.is_string()) return event.set(name, field.get_ref<const std::string&>());
  if (field.is_boolean()) return event.set(name, field.get<bool>());
  if (field.is_number_float()) return event.set(name, field.get<double>());
  if (field.is_number_integer() && !field.is_number_unsigned()) {
    return event.set(name, field.get<std::int64_t>());
  }
  event.set(name, base::to_json_text(field));
}

/// Adds a line to the span of its request, with the fields that the log shows.
void add_log_event(detail::RequestTrace& trace,
                   const detail::RequestTrace::HideSecrets& hide_secrets,
                   const LogRecord& record) noexcept {
  try {
    detail::SpanEvent event{.time = record.time.time_since_epoch(), .name = "log"};
    event.set("level", to_string(record.level));
    event.set("message", record.message);
    for (const Json* const part : {&record.bindings, &record.fields}) {
      if (!part->is_object()) continue;
      Json fields;
      const base::TreeGuard guard(fields);
      base::copy_tree(*part, fields);
      hide_secrets(fields);
      for (const auto& [name, field] : fields.items()) set_attribute(event, name, field);
    }
    trace.add_event(std::move(event));
  } catch (const std::exception&) {
    // Without memory, only the log has the line.
  }
}

}  // namespace

struct Logger::State {
  std::shared_ptr<LogSink> sink;
  std::atomic<LogLevel> level;
};

Logger::Logger(std::shared_ptr<LogSink> sink, LogLevel level) : state_(std::make_shared<State>()) {
  if (!sink) throw std::invalid_argument("a logger needs a sink");
  state_->sink = std::move(sink);
  state_->level = level;
}

void Logger::trace(std::string_view message, Json fields) const {
  log(LogLevel::trace, message, std::move(fields));
}
void Logger::debug(std::string_view message, Json fields) const {
  log(LogLevel::debug, message, std::move(fields));
}
void Logger::info(std::string_view message, Json fields) const {
  log(LogLevel::info, message, std::move(fields));
}
void Logger::warn(std::string_view message, Json fields) const {
  log(LogLevel::warn, message, std::move(fields));
}
void Logger::error(std::string_view message, Json fields) const {
  log(LogLevel::error, message, std::move(fields));
}
void Logger::fatal(std::string_view message, Json fields) const {
  log(LogLevel::fatal, message, std::move(fields));
}
void Logger::log(LogLevel level, std::string_view message) const { log(level, message, Json()); }
void Logger::log_inline(LogLevel level, std::string_view message,
                        const detail::JsonLiteral& fields) const {
  // As in Response::json_of.
  log(level, message, std::move(const_cast<Json&>(fields.tree())));
}
void Logger::log_error(LogLevel level, std::string_view message,
                       const std::exception& error) const {
  log(level, message, error_fields(error));
}

void Logger::log(LogLevel level, std::string_view message, Json fields) const {
  const base::TreeGuard guard(fields);
  if (!enabled(level)) return;
  const detail::RequestContext* context = detail::current_context();
  // No response depends on what a sink reads.
  const detail::UnrecordedScope scope;
  // Where a thread has a span, its context has the same trace.
  const detail::RequestTrace* const trace = context != nullptr ? context->span.trace() : nullptr;
  std::array<char, 32> trace_digits;
  const LogRecord record{
      .level = level,
      .time = std::chrono::system_clock::now(),
      .request_id = context != nullptr ? context->request_id : std::string_view(),
      .user = context != nullptr ? context->logged_user() : std::string_view(),
      .bindings = bindings_ ? *bindings_ : detail::null_json(),
      .fields = fields,
      .message = message,
      .trace_id = context != nullptr ? context->write_trace_id(trace_digits) : std::string_view()};
  state_->sink->write(record);
  // `tracing.logs` lets the trace have lines of the log.
  if (trace != nullptr && trace->hide_secrets() != nullptr) {
    if (const auto* const span = detail::current_span()) {
      const auto* const hide_secrets = span->trace->hide_secrets();
      if (hide_secrets != nullptr) add_log_event(*span->trace, *hide_secrets, record);
    }
  }
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
  if (bindings_) {
    Json all = *bindings_;
    all.update(bindings);
    bindings = std::move(all);
  }
  result.bindings_ = std::make_shared<const Json>(std::move(bindings));
  return result;
}

const std::shared_ptr<LogSink>& Logger::sink() const { return state_->sink; }

}  // namespace fw
