// Which application serves which group, and what the groups' `setup` says in words.
#include <fairway/fairway.hpp>

#include <map>
#include <memory>
#include <stdexcept>

#include "runner/group.hpp"
#include "support/responses.hpp"
#include "temporary_directory.hpp"

#define CONFORMANCE_GROUP(area, group, table) const fw::AppTable& table();
#define REFUSED_GROUP(area, group)
#include "group_list.inc"
#undef CONFORMANCE_GROUP
#undef REFUSED_GROUP

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
         hooks::ErrorAfterResponse, hooks::CacheHit, hooks::CacheMiss, hooks::CacheWrite,
         hooks::CacheError, hooks::FetchBefore, hooks::FetchAfter, hooks::FetchFailed,
         hooks::ProxyBefore, hooks::ProxyAfter, hooks::ProxyFailed>(app, events);
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

void throw_request_start(fw::App& app, EventList&) {
  app.hooks().on<hooks::RequestStart>([](hooks::RequestStart&) { throw fw::HttpError(403, "rs"); });
}

void throw_matched(fw::App& app, EventList&) {
  app.hooks().on<hooks::RouteMatched>([](hooks::RouteMatched&) { throw std::runtime_error("rm"); });
}

void unsubscribe(fw::App& app, EventList&) {
  const auto off = app.hooks().on<hooks::ResponseBefore>(
      [](hooks::ResponseBefore& event) { event.status = 201; });
  off();
}

void json_status(fw::App& app, EventList&) {
  app.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
    event.status = 404;
    event.res.set_header("X-H", "1");
  });
}

void trace_global(fw::App& app, EventList&) {
  app.use([](fw::Request& req, fw::Response& res, fw::Next next) {
    responses::trace(req).emplace_back("global>");
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

void generate_configured_id(fw::Config& config) {
  config.request_id.generate = [] { return std::string("cfg"); };
}

void generate_empty_id(fw::Config& config) {
  config.request_id.generate = [] { return std::string(); };
}

void limit_by_header(fw::Config& config) {
  config.rate_limit.key_by = [](fw::Request& req) {
    return std::string(req.header("x-k").value_or("none"));
  };
}

/// What a group has besides its routes and its `config`.
struct Extras {
  std::function<void(fw::Config&)> configure = {};
  std::function<void(fw::App&, EventList&)> set_up = {};
};

const std::map<std::string, Extras>& extras() {
  static const std::map<std::string, Extras> all = {
      {"errors/i18n", {.configure = use_locales}},
      {"hooks/all", {.set_up = record_all}},
      {"hooks/cached", {.set_up = record_all}},
      {"hooks/off", {.set_up = unsubscribe}},
      {"hooks/patch-error", {.set_up = patch_error}},
      {"hooks/patch-response", {.set_up = patch_response}},
      {"hooks/throw-after", {.set_up = throw_after}},
      {"hooks/throw-matched", {.set_up = throw_matched}},
      {"hooks/throw-request-start", {.set_up = throw_request_start}},
      {"hooks/throw-response-before", {.set_up = throw_response_before}},
      {"middleware/order", {.set_up = trace_global}},
      {"rate-limit/keyBy-fn", {.configure = limit_by_header}},
      {"request-id/bad-generator", {.configure = generate_empty_id}},
      {"request-id/custom", {.configure = generate_fixed_id}},
      {"request-id/plugin-generator", {.configure = generate_configured_id}},
      {"response-schema/hook-status", {.set_up = json_status}},
  };
  return all;
}

Group make_group(std::string area, std::string name, const fw::AppTable& (*table)()) {
  const auto found = extras().find(area + "/" + name);
  const Extras own = found == extras().end() ? Extras{} : found->second;
  return {std::move(area), std::move(name), table, own.configure, own.set_up};
}

}  // namespace

const std::vector<Group>& groups() {
#define CONFORMANCE_GROUP(area, group, table) make_group(area, group, table),
#define REFUSED_GROUP(area, group) make_group(area, group, nullptr),
  static const std::vector<Group> all = {
#include "group_list.inc"
  };
#undef CONFORMANCE_GROUP
#undef REFUSED_GROUP
  return all;
}

const Group* find_group(const std::string& area, const std::string& name) {
  for (const Group& group : groups()) {
    if (group.area == area && group.name == name) return &group;
  }
  return nullptr;
}

}  // namespace conformance
