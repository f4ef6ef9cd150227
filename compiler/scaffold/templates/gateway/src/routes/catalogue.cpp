#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  // The response of the upstream, as it is.
  app.get("/*",
          {.docs = {.summary = "Products, of the catalogue service",
                    .operation_id = "getCatalogue",
                    .responses = {{"200",
                                   {.description = "What the catalogue responds",
                                    .schema = fw::json_schema(R"({"type": "object"})")}},
                                  {"502", {.description = "The catalogue is unavailable"}},
                                  {"504", {.description = "The catalogue is too slow"}}}}},
          [&app](fw::Request& req, fw::Response& res) {
            app.fetch.proxy["catalogue"](req, res,
                                         {.path = fw::url_subpath(req.param("*").value_or("")),
                                          .inject_headers = {{"x-request-id", req.request_id()}}});
          });
});
