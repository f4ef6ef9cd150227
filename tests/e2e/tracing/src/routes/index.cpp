#include <fairway/fairway.hpp>

#include <cstdint>
#include <string>

#include "index.routes.hpp"

namespace {

struct Price {
  std::int64_t id;
  std::string currency;
};

struct ById {
  fw::Field<"integer:1-"> id;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  // Of the service that has the prices. Its span has an attribute of each kind, and the request a
  // line in the log.
  app.get("/prices/:id", {.docs = {.operation_id = "getPrice"}},
          [&app](fw::Param<ById> param) -> Price {
            auto span = fw::span("look up");
            span.set("price.currency", "€");
            span.set("price.discount", -7);
            span.set("price.serial", std::int64_t{9'007'199'254'740'991});
            span.set("price.rate", 0.5);
            span.set("price.is_new", true);
            span.set("price.is_old", false);
            app.logger().warn("the price is low", {{"left", 3}});
            if (param->id == 13) {
              span.fail("declined");
              fw::raise(503, "no price");
            }
            return {.id = param->id, .currency = "EUR"};
          });

  // Of the service in front of it, which is configured with the address.
  app.get("/orders/:id",
          {.docs = {.operation_id = "getOrder",
                    .responses = {{"502", {.description = "there is no price"}}}}},
          [&app](fw::Param<ById> param) -> Price {
            const std::string service = app.config().app.value("prices", "");
            const std::string id = std::to_string(param->id.value());
            auto response = app.fetch.get(service + fw::url_path({"prices", id}));
            if (!response.ok()) fw::raise(502, "no price");
            const fw::Json data = response.json().at("data");
            return {.id = data.at("id"), .currency = data.at("currency")};
          });
  app.get("/forwarded/:id",
          {.docs = {.operation_id = "getForwarded",
                    .responses = {{"200", {.description = "the price"}}}}},
          [&app](fw::Request& req, fw::Response& res) {
            app.fetch.proxy["prices"](req, res,
                                      {.path = fw::url_path({"prices", *req.param("id")})});
          });
});
