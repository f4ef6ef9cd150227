// userver: its coroutines, its JSON with structs, the order checked by hand. Files come from its
// cache.
#include <fmt/format.h>

#include <userver/components/fs_cache.hpp>
#include <userver/components/minimal_server_component_list.hpp>
#include <userver/components/run.hpp>
#include <userver/formats/json.hpp>
#include <userver/formats/json/inline.hpp>
#include <userver/formats/parse/common_containers.hpp>
#include <userver/server/handlers/http_handler_json_base.hpp>
#include <userver/server/handlers/http_handler_static.hpp>

#include "workload.hpp"

namespace json = userver::formats::json;

namespace bench {

// userver finds them by the type that is parsed.
Item<std::string> Parse(const json::Value& item, userver::formats::parse::To<Item<std::string>>) {
  return {.sku = item["sku"].As<std::string>(),
          .name = item["name"].As<std::string>(),
          .quantity = item["quantity"].As<std::int64_t>(),
          .price = item["price"].As<double>()};
}

Order<std::string> Parse(const json::Value& order,
                         userver::formats::parse::To<Order<std::string>>) {
  return {.customer = order["customer"].As<std::string>(),
          .email = order["email"].As<std::string>(),
          .currency = order["currency"].As<std::string>(),
          .note = order["note"].As<std::optional<std::string>>(),
          .items = order["items"].As<std::vector<Item<std::string>>>()};
}

}  // namespace bench

namespace {

namespace server = userver::server;
using server::http::HttpRequest;
using server::request::RequestContext;

class Hello final : public server::handlers::HttpHandlerJsonBase {
 public:
  static constexpr std::string_view kName = "handler-hello";
  using HttpHandlerJsonBase::HttpHandlerJsonBase;

  json::Value HandleRequestJsonThrow(const HttpRequest&, const json::Value&,
                                     RequestContext&) const override {
    return json::MakeObject("message", "Hello, World!", "version", 1, "ok", true);
  }
};

class User final : public server::handlers::HttpHandlerJsonBase {
 public:
  static constexpr std::string_view kName = "handler-user";
  using HttpHandlerJsonBase::HttpHandlerJsonBase;

  json::Value HandleRequestJsonThrow(const HttpRequest& request, const json::Value&,
                                     RequestContext&) const override {
    return json::MakeObject("id", request.GetPathArg("id"), "name", "Ada Lovelace", "active", true);
  }
};

class PlaceOrder final : public server::handlers::HttpHandlerJsonBase {
 public:
  static constexpr std::string_view kName = "handler-order";
  using HttpHandlerJsonBase::HttpHandlerJsonBase;

  json::Value HandleRequestJsonThrow(const HttpRequest& request, const json::Value& body,
                                     RequestContext&) const override {
    try {
      const auto placed = bench::place_order(body.As<bench::Order<std::string>>());
      request.SetResponseStatus(server::http::HttpStatus::kCreated);
      return json::MakeObject("id", placed.id, "status", placed.status, "count", placed.count,
                              "total", placed.total);
    } catch (const json::Exception& error) {
      throw server::handlers::ClientError(server::handlers::ExternalBody{error.what()});
    } catch (const std::invalid_argument& error) {
      throw server::handlers::ClientError(server::handlers::ExternalBody{error.what()});
    }
  }
};

class Upload final : public server::handlers::HttpHandlerBase {
 public:
  static constexpr std::string_view kName = "handler-upload";
  using HttpHandlerBase::HttpHandlerBase;

  std::string HandleRequestThrow(const HttpRequest& request, RequestContext&) const override {
    request.GetHttpResponse().SetContentType("application/json");
    return json::ToString(json::MakeObject("size", request.RequestBody().size()));
  }
};

std::string static_config(int port) {
  const auto certificate = bench::certificate();
  const auto tls = certificate ? fmt::format(R"(
        tls:
          cert: {}
          private-key: {})",
                                             certificate->chain, certificate->key)
                               : std::string();
  return fmt::format(R"(
components_manager:
  task_processors:
    main-task-processor: {{worker_threads: {threads}}}
    fs-task-processor: {{worker_threads: 1}}
  default_task_processor: main-task-processor
  components:
    logging:
      fs-task-processor: fs-task-processor
      loggers:
        default: {{file_path: '@stderr', level: critical, overflow_behavior: discard}}
    server:
      listener:
        address: 127.0.0.1
        port: {port}
        task_processor: main-task-processor
        handler-defaults: {{max_request_size: {size}}}
        connection: {{http-version: '{version}'}}{tls}
    fs-cache-component: {{dir: .}}
    handler-hello: {{path: /hello, method: GET, task_processor: main-task-processor}}
    handler-user: {{path: '/users/{{id}}', method: GET, task_processor: main-task-processor}}
    handler-order: {{path: /orders, method: POST, task_processor: main-task-processor}}
    handler-upload: {{path: /upload, method: POST, task_processor: main-task-processor}}
    handler-static: {{path: /static/*, method: GET, task_processor: main-task-processor}}
)",
                     fmt::arg("threads", bench::threads()), fmt::arg("port", port),
                     fmt::arg("size", 2 * bench::kUpload),
                     fmt::arg("version", std::getenv("BENCH_HTTP2") != nullptr ? "2" : "1.1"),
                     fmt::arg("tls", tls));
}

}  // namespace

int main(int, char** argv) {
  const auto components = userver::components::MinimalServerComponentList()
                              .Append<userver::components::FsCache>("fs-cache-component")
                              .Append<server::handlers::HttpHandlerStatic>()
                              .Append<Hello>()
                              .Append<User>()
                              .Append<PlaceOrder>()
                              .Append<Upload>();
  userver::components::Run(userver::components::InMemoryConfig(static_config(std::atoi(argv[1]))),
                           components);
}
