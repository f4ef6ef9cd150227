// Which application serves which group, and what the groups' `setup` says in words.
#include <fairway/fairway.hpp>

#include <memory>
#include <stdexcept>

#include "runner/group.hpp"
#include "support/answers.hpp"
#include "temporary_directory.hpp"

#define CONFORMANCE_GROUP(name) const fw::AppTable& name##_app();
#include "group_names.inc"
#undef CONFORMANCE_GROUP

namespace conformance {
namespace {

namespace hooks = fw::hooks;

template <class... Events>
void record(fw::App& app, EventList& events) {
  (app.hooks().on<Events>([&events](Events&) { events.add(std::string(Events::kName)); }), ...);
}

void record_all(fw::App& app, EventList& events) {
  record<hooks::RequestStart, hooks::RouteMatched, hooks::RouteNotFound, hooks::ValidationSuccess,
         hooks::ValidationFailed, hooks::HandlerBefore, hooks::HandlerAfter, hooks::HandlerError,
         hooks::ResponseBefore, hooks::ResponseAfter, hooks::ErrorBeforeResponse,
         hooks::ErrorAfterResponse>(app, events);
}

void patch_response(fw::App& app, EventList&) {
  app.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
    event.data = {{"patched", event.data}};
    event.status = 203;
    event.res.set_header("X-P", "1");
  });
}

void patch_error(fw::App& app, EventList&) {
  app.hooks().on<hooks::ErrorBeforeResponse>([](hooks::ErrorBeforeResponse& event) {
    event.status = 418;
    event.body["extra"] = 1;
  });
}

void throw_response_before(fw::App& app, EventList&) {
  app.hooks().on<hooks::ResponseBefore>(
      [](hooks::ResponseBefore&) { throw std::runtime_error("rb"); });
}

void throw_after(fw::App& app, EventList&) {
  app.hooks().on<hooks::HandlerAfter>([](hooks::HandlerAfter&) { throw std::runtime_error("ha"); });
  app.hooks().on<hooks::ResponseAfter>(
      [](hooks::ResponseAfter&) { throw std::runtime_error("ra"); });
}

void json_status(fw::App& app, EventList&) {
  app.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
    event.status = 404;
    event.res.set_header("X-H", "1");
  });
}

void trace_global(fw::App& app, EventList&) {
  app.use([](fw::Request& req, fw::Response& res, fw::Next next) {
    answers::trace(req).emplace_back("global>");
    if (req.query("stop")) return res.json({{"stopped", true}});
    if (req.query("boom")) throw std::runtime_error("global boom");
    next();
  });
}

/// The locale files of errors/i18n, in a folder that lives as long as the program.
void use_locales(fw::Config& config) {
  static const fairway::test::TemporaryDirectory directory;
  directory.write("en-US.json", R"({
    "user.notFound": {"code": 40401, "message": "User {{id}} not found"},
    "plain.key": "Plain text",
    "str.code": {"code": "STR_CODE", "message": "With string code"},
    "with.status": {"code": 1, "message": "Teapot"}})");
  directory.write("zh-CN.json", R"({
    "user.notFound": {"code": 40401, "message": "用户 {{id}} 不存在"}})");
  config.locale.directory = directory.path();
}

void generate_fixed_id(fw::Config& config) {
  config.request_id.generate = [] { return std::string("gen-1"); };
}

void generate_empty_id(fw::Config& config) {
  config.request_id.generate = [] { return std::string(); };
}

}  // namespace

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {.area = "access-log", .name = "debug", .table = access_log_debug_app},
      {.area = "access-log", .name = "json-default", .table = access_log_json_default_app},
      {.area = "access-log", .name = "level-warn", .table = access_log_level_warn_app},
      {.area = "access-log", .name = "no-context", .table = access_log_no_context_app},
      {.area = "access-log", .name = "off", .table = access_log_off_app},
      {.area = "access-log", .name = "pretty", .table = access_log_pretty_app},
      {.area = "access-log", .name = "size", .table = access_log_size_app},
      {.area = "access-log", .name = "skip", .table = access_log_skip_app},
      {.area = "access-log", .name = "slow", .table = access_log_slow_app},
      {.area = "body", .name = "global-limit", .table = body_global_limit_app},
      {.area = "body", .name = "parser", .table = body_parser_app},
      {.area = "body", .name = "parser-off", .table = body_parser_off_app},
      {.area = "errors", .name = "accept", .table = errors_accept_app},
      {.area = "errors", .name = "default", .table = errors_default_app},
      {.area = "errors", .name = "hide-off", .table = errors_hide_off_app},
      {.area = "errors", .name = "i18n", .table = errors_i18n_app, .configure = use_locales},
      {.area = "errors", .name = "log-off", .table = errors_log_off_app},
      {.area = "errors", .name = "log4xx", .table = errors_log4xx_app},
      {.area = "hooks",
       .name = "all",
       .table = hooks_all_app,
       .set_up = record_all,
       .without = {"/fetch", "/proxy"}},
      {.area = "hooks",
       .name = "patch-error",
       .table = hooks_patch_error_app,
       .set_up = patch_error},
      {.area = "hooks",
       .name = "patch-response",
       .table = hooks_patch_response_app,
       .set_up = patch_response},
      {.area = "hooks",
       .name = "throw-after",
       .table = hooks_throw_after_app,
       .set_up = throw_after},
      {.area = "hooks",
       .name = "throw-response-before",
       .table = hooks_throw_response_before_app,
       .set_up = throw_response_before},
      {.area = "middleware",
       .name = "order",
       .table = middleware_order_app,
       .set_up = trace_global},
      {.area = "request-id",
       .name = "bad-generator",
       .table = request_id_bad_generator_app,
       .configure = generate_empty_id},
      {.area = "request-id",
       .name = "custom",
       .table = request_id_custom_app,
       .configure = generate_fixed_id},
      {.area = "request-id", .name = "default", .table = request_id_default_app},
      {.area = "request-id", .name = "off", .table = request_id_off_app},
      {.area = "response", .name = "wrap-off", .table = response_wrap_off_app},
      {.area = "response", .name = "wrap-on", .table = response_wrap_on_app},
      {.area = "response-schema", .name = "basic", .table = response_schema_basic_app},
      {.area = "response-schema",
       .name = "hook-status",
       .table = response_schema_hook_status_app,
       .set_up = json_status},
      {.area = "response-schema", .name = "unwrapped", .table = response_schema_unwrapped_app},
      {.area = "routing", .name = "decoding", .table = routing_decoding_app},
      {.area = "routing", .name = "mapping", .table = routing_mapping_app},
      {.area = "routing", .name = "methods", .table = routing_methods_app},
      {.area = "routing", .name = "precedence", .table = routing_precedence_app},
      {.area = "timeout", .name = "never", .table = timeout_never_app},
      {.area = "timeout", .name = "route", .table = timeout_route_app},
      {.area = "trust-proxy", .name = "on", .table = trust_proxy_on_app},
      {.area = "validation", .name = "semantics", .table = validation_semantics_app},
      {.area = "validation-types-body", .name = "body", .table = validation_types_body_body_app},
      {.area = "validation-types-query",
       .name = "query",
       .table = validation_types_query_query_app},
  };
  return all;
}

const std::vector<RefusedGroup>& refused_groups() {
  static const std::vector<RefusedGroup> all = {
      {.area = "body", .name = "bad-size"},
      {.area = "response-schema", .name = "dup-docs"},
      {.area = "routing", .name = "dup-case"},
      {.area = "routing", .name = "dup-prefix-files"},
      {.area = "routing", .name = "dup-same-file"},
      {.area = "routing", .name = "dup-trailing"},
      {.area = "routing", .name = "dup-two-files"},
      {.area = "routing", .name = "wild-not-last"},
      {.area = "routing", .name = "wildcard-param-clash"},
  };
  return all;
}

}  // namespace conformance
