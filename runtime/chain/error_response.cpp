#include "chain/error_response.hpp"

#include <fairway/json_writer.hpp>
#include <fairway/store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/ascii.hpp"
#include "base/media_type.hpp"
#include "base/tree_guard.hpp"
#include "chain/freshness.hpp"
#include "chain/rendered_page.hpp"
#include "errors/error_page.hpp"
#include "errors/exception_info.hpp"
#include "errors/messages.hpp"
#include "errors/stack_trace.hpp"

namespace fw::detail {
namespace {

constexpr std::array<std::string_view, 4> kBodyFields = {"content-type", "content-encoding",
                                                         "content-disposition", "content-length"};
/// Fields about the freshness and version of the handler's response, which an error response must
/// not keep.
constexpr std::array<std::string_view, 6> kVersionFields = {
    "etag", "last-modified", "cache-control", "expires", "age", "x-cache"};

enum class ErrorKind { http, deadline, validation, unknown };

struct ErrorResponse {
  ErrorResponse(ErrorKind what, int with_status) : kind(what), status(with_status) {}
  ~ErrorResponse() { base::destroy_iteratively(body); }
  ErrorResponse(const ErrorResponse&) = delete;
  ErrorResponse(ErrorResponse&&) = default;
  ErrorResponse& operator=(const ErrorResponse&) = delete;

  ErrorKind kind;
  int status;
  Json body = Json::object();
};

/// The locale entry for a message in the language of the request; null if there is none.
const LocaleEntry* find_entry(Exchange& exchange, std::string_view key) {
  const Locales& locales = exchange.env.locales;
  exchange.observe(RequestPart::language);
  return locales.empty() ? nullptr : locales.find(exchange.language(), key);
}

ErrorResponse from_http_error(Exchange& exchange, const HttpError& error) {
  ErrorResponse result(ErrorKind::http, error.status());
  const LocaleEntry* entry = find_entry(exchange, error.what());
  if (error.key_only() && entry != nullptr) result.status = entry->status.value_or(400);
  const std::string_view text = entry != nullptr ? std::string_view(entry->message) : error.what();
  result.body["message"] = fill_template(text, error.params());
  if (!error.code().is_null()) {
    result.body["code"] = error.code();
  } else if (entry != nullptr && !entry->code.is_null()) {
    result.body["code"] = entry->code;
  } else {
    result.body["code"] = result.status;
  }
  Json details = clean_details(error.details());
  const base::TreeGuard guard(details);
  if (!details.is_null()) result.body["details"] = std::move(details);
  return result;
}

std::string message_of(Exchange& exchange, const FieldError& error) {
  const LocaleEntry* entry = find_entry(exchange, error.key.empty() ? error.message : error.key);
  if (entry == nullptr) return error.message;
  Json params = Json::object();
  const base::TreeGuard guard(params);
  if (error.params.is_object()) base::copy_tree(error.params, params);
  params["field"] = error.field;
  return fill_template(entry->message, params);
}

ErrorResponse from_validation_error(Exchange& exchange, const ValidationError& error) {
  ErrorResponse result(ErrorKind::validation, error.status());
  Json& list = result.body["errors"] = Json::array();
  for (const FieldError& field : error.errors()) {
    list.push_back(Json::object());
    list.back()["field"] = field.field;
    list.back()["message"] = message_of(exchange, field);
  }
  result.body["code"] = error.status();
  result.body["message"] = error.what();
  if (const LocaleEntry* entry = find_entry(exchange, "validation.failed")) {
    result.body["message"] = entry->message;
    if (!entry->code.is_null()) result.body["code"] = entry->code;
  }
  return result;
}

ErrorResponse from_unknown(const Exchange& exchange, const std::exception_ptr& error) {
  ErrorResponse result(ErrorKind::unknown, 500);
  result.body["code"] = 500;
  if (exchange.env.config.response.hide_internal_errors) {
    result.body["message"] = default_message(500);
    return result;
  }
  const ExceptionInfo info = describe(error);
  result.body["message"] = info.message.empty() ? info.type : info.message;
  std::string stack = info.stack;
  if (exchange.route != nullptr) {
    stack += fmt::format("\n    at {} ({})", name_of(*exchange.route), source_of(*exchange.route));
  }
  result.body["stack"] = std::move(stack);
  return result;
}

/// The mapping from exceptions to error responses.
ErrorResponse normalise(Exchange& exchange, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DeadlinePassed& passed) {
    ErrorResponse result = from_http_error(exchange, passed);
    result.kind = ErrorKind::deadline;
    return result;
  } catch (const HttpError& http) {
    return from_http_error(exchange, http);
  } catch (const ValidationError& validation) {
    return from_validation_error(exchange, validation);
  } catch (const StoreError&) {
    return from_http_error(exchange, status_error(503));
  } catch (...) {
    return from_unknown(exchange, error);
  }
}

void log_error(const Exchange& exchange, ErrorKind kind, int status,
               const std::exception_ptr& error) {
  const ResponseLogConfig& config = exchange.env.config.response.log_errors;
  const bool server_error = status >= 500;
  const bool wanted = kind == ErrorKind::unknown ? config.unknown_errors
                      : kind == ErrorKind::http  ? (server_error ? config.http5xx : config.http4xx)
                                                 : false;
  if (!wanted || !may_log(exchange.env, error)) return;
  const ExceptionInfo info = describe(error);
  Json fields = log_fields(info);
  const base::TreeGuard guard(fields);
  fields["method"] = exchange.head.method;
  fields["path"] = exchange.path;
  fields["status"] = status;
  if (exchange.route != nullptr) {
    fields["route"] = name_of(*exchange.route);
    fields["source"] = source_of(*exchange.route);
  }
  exchange.env.logger.log(server_error ? LogLevel::error : LogLevel::warn,
                          info.message.empty() ? info.type : info.message, std::move(fields));
}

/// The page of the application for errors.
constexpr std::string_view kErrorPage = "error";

bool is_development(const Exchange& exchange) {
  return exchange.env.config.environment == "development";
}

bool has_own_page(const Exchange& exchange) {
  return !exchange.env.pages.empty() && exchange.env.pages.current()->has(kErrorPage);
}

/// Responds with the error page of the application. Returns false if it has none, or none that can
/// be rendered.
bool respond_with_own_page(Exchange& exchange, int status, const Json& body) {
  if (!has_own_page(exchange)) return false;
  try {
    Json data;
    const base::TreeGuard data_guard(data);
    base::copy_tree(body, data);
    data["status"] = status;
    RenderOptions options{.seo = Json::object(), .status = status};
    const base::TreeGuard options_guard(options.seo);
    options.seo["title"] = data["message"];
    options.seo["robots"] = "noindex";
    exchange.outgoing.remove_field("content-type");  // which a hook has set for JSON
    respond_with_error_page(exchange, kErrorPage, data, options);
    return true;
  } catch (const std::exception& error) {
    if (log_lack_of_memory(exchange.env.logger, std::current_exception())) return false;
    exchange.env.logger.error("the error page cannot be rendered", Json{{"err", error.what()}});
    return false;
  }
}

ErrorPage make_page(Exchange& exchange, int status, const Json& body,
                    const std::exception_ptr& error) {
  const ExceptionInfo info = error ? describe(error) : ExceptionInfo{};
  std::string stack;
  for (const StackFrame& frame : application_frames(symbolize(throw_trace(error)))) {
    stack += fmt::format("{}\n    {}\n", frame.source, frame.function);
  }
  ErrorPage page{
      .status = status,
      .title = info.message.empty() ? body.value("message", info.type) : info.message,
      .type = info.type,
      .trace = info.stack,
      .stack = std::move(stack),
      .details = body.dump(2, ' ', false, Json::error_handler_t::replace),
      .facts = {{"request", fmt::format("{} {}", exchange.head.method, exchange.head.target)}}};
  if (exchange.route != nullptr) {
    page.facts.emplace_back("route", name_of(*exchange.route));
    page.facts.emplace_back("source", source_of(*exchange.route));
  } else {
    page.facts.emplace_back("route", "none matches");
    if (exchange.allow) page.facts.emplace_back("methods here", *exchange.allow);
  }
  page.facts.emplace_back("request id", exchange.context.request_id);
  std::array<char, 32> trace_digits;
  if (const auto trace = exchange.context.write_trace_id(trace_digits); !trace.empty()) {
    page.facts.emplace_back("trace id", trace);
  }
  return page;
}

/// Hooks are not called, because they would get a tree.
void respond_without_memory(Exchange& exchange, const std::exception_ptr& error) {
  if (exchange.env.config.response.log_errors.unknown_errors) {
    log_lack_of_memory(exchange.env.logger, error);
  }
  if (exchange.outgoing.is_opened()) exchange.outgoing.discard();
  if (!exchange.outgoing.is_set()) respond_without_hooks(exchange);
}

}  // namespace

DeadlinePassed::DeadlinePassed() : HttpError(504, std::string(status_name(408))) {}

bool is_deadline(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const DeadlinePassed&) {
    return true;
  } catch (...) {
    return false;
  }
}

bool may_log(const Environment& env, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const StoreError&) {
    return env.store_errors->pass();
  } catch (...) {
    return true;
  }
}

void log_deadline(const Exchange& exchange) {
  const DeadlinePassed error;
  log_error(exchange, ErrorKind::http, error.status(),
            std::make_exception_ptr(HttpError(error.status(), error.what())));
}

void remove_body_fields(http::Fields& fields) { fields.remove(kBodyFields); }

bool is_body_field(std::string_view name) {
  return std::any_of(kBodyFields.begin(), kBodyFields.end(), [&](std::string_view field) {
    return base::equal_ignoring_case(name, field);
  });
}

void remove_content_fields(http::Fields& fields) {
  remove_body_fields(fields);
  fields.remove(kVersionFields);
  remove_targeted_fields(fields);
}

bool has_content_fields(const http::Fields& fields) {
  const auto has_any = [&](const auto&... names) { return (fields.find(names) || ...); };
  return fields.find("etag") || std::apply(has_any, kBodyFields);
}

void respond_with_error_body(Exchange& exchange, int status, Json body,
                             const std::exception_ptr& error) {
  const base::TreeGuard guard(body);
  OutgoingResponse& response = exchange.outgoing;
  const bool wants_page = base::accepts(exchange.header("accept").value_or(""), {"text/html"});
  if (!wants_page ||
      (!is_development(exchange) && !respond_with_own_page(exchange, status, body))) {
    response.json(std::move(body), status, Envelope::none);
  }
  if (!response.is_set()) {
    response.remove_field("content-type");
    response.text(render_error_page(make_page(exchange, status, body, error)),
                  "text/html; charset=utf-8", status);
  }
  // Without the field, no cache stores the error.
  if (response.field(kCacheControl) && (is_development(exchange) || has_own_page(exchange))) {
    response.add_vary("Accept");
  }
}

void respond_without_hooks(Exchange& exchange) {
  constexpr int kStatus = 500;
  OutgoingResponse& response = exchange.outgoing;
  response.discard();
  remove_content_fields(response.fields);
  response.kind = OutgoingResponse::Kind::body;
  response.status = kStatus;
  response.body = plain_error_text(kStatus, default_message(kStatus), exchange.context.request_id);
  response.set_field("content-type", "application/json; charset=utf-8");
}

Json plain_error_body(int status, std::string_view message, std::string_view request_id) {
  return base::make_tree([&](Json& body) {
    body["code"] = status;
    body["message"] = message;
    body["requestId"] = request_id;
  });
}

std::string plain_error_text(int status, std::string_view message, std::string_view request_id) {
  JsonWriter body;
  body.raw(R"({"code":)");
  body.integer(status);
  body.raw(R"(,"message":)");
  body.string(message);
  body.raw(R"(,"requestId":)");
  body.string(request_id);
  body.raw("}");
  return std::string(body.content());
}

void respond_with_error(Exchange& exchange, const std::exception_ptr& error) {
  if (is_lack_of_memory(error)) return respond_without_memory(exchange, error);
  ErrorResponse response = normalise(exchange, error);
  log_error(exchange, response.kind, response.status, error);
  if (exchange.outgoing.is_opened()) exchange.outgoing.discard();
  if (exchange.outgoing.is_set()) return;
  response.body["requestId"] = exchange.context.request_id;
  // Before the hooks, which may set such fields for the error.
  remove_content_fields(exchange.outgoing.fields);
  const Hooks& hooks = exchange.env.hooks;
  if (hooks.any<hooks::ErrorBeforeResponse>()) {
    hooks::ErrorBeforeResponse event{exchange.request, exchange.response, error, response.status,
                                     response.body};
    hooks.emit(event, exchange.env.logger);
    if (exchange.outgoing.is_set()) return;
  }
  respond_with_error_body(exchange, response.status, std::move(response.body), error);
}

}  // namespace fw::detail
