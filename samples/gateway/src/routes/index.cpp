#include <fairway/fairway.hpp>

#include <exception>
#include <string>
#include <utility>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const fw::Json& upstreams = app.config().app;
  const auto users = app.fetch.create({.base_url = upstreams.value("users", "")});
  const auto orders = app.fetch.create({.base_url = upstreams.value("orders", ""), .timeout = 500});

  // Two calls at the same time. Without the user there is no response; without the orders there is.
  app.get("/overview/:id",
          {.validate = {.param = {{"id", "integer:1-"}}},
           .responses = {{"200", {{"user", "any"}, {"orders", "any"}}}},
           .docs = {.summary = "A user with the latest orders",
                    .operation_id = "getOverview",
                    .responses = {{"502", {.description = "users are out of reach"}},
                                  {"503", {.description = "users are out of service"}},
                                  {"504", {.description = "users are too slow"}}}},
           .timeout = 5000},
          [&app, users, orders](fw::Request& req, fw::Response& res) {
            const std::string id(req.param("id").value_or(""));
            auto [user, list] = fw::all(
                [&] {
                  try {
                    return users.get(fw::url_path({"users", id}), {.signal = req.signal()});
                  } catch (const fw::TimeoutError&) {
                    app.raise(504, "users are slow");
                  } catch (const fw::NetworkError&) {
                    app.raise(502, "users are unavailable");
                  }
                },
                [&]() -> fw::Json {
                  try {
                    auto response = orders.get("/orders?user=" + id, {.signal = req.signal()});
                    if (response.ok()) return response.json();
                  } catch (const std::exception&) {
                    // Each attempt has a line in the log; the overview does without.
                  }
                  return nullptr;
                });
            if (user.status() == 404) app.raise(404, "there is no such user");
            if (!user.ok()) app.raise(502, "users are unavailable");
            res.json({{"user", user.json()}, {"orders", std::move(list)}});
          });

  app.get("/invoices/*",
          {.docs = {.summary = "Invoices, of the billing service",
                    .operation_id = "getInvoices",
                    .responses = {{"200",
                                   {.description = "the invoices",
                                    .schema = fw::json_schema(R"({"type": "object"})")}},
                                  {"502", {.description = "the billing service is out of reach"}},
                                  {"503", {.description = "the billing service is out of service"}},
                                  {"504", {.description = "the billing service is too slow"}}}}},
          [&app](fw::Request& req, fw::Response& res) {
            app.fetch.proxy["billing"](
                req, res,
                {.path = "/invoices" + fw::url_subpath(req.param("*").value_or("")),
                 .inject_headers = {{"x-request-id", req.request_id()}}});
          });

  // Both bodies are streamed: a file of any size takes little memory.
  app.get("/files/*",
          {.docs = {.summary = "A file",
                    .operation_id = "getFile",
                    .responses = {{"200",
                                   {.description = "the file",
                                    .content_type = "application/octet-stream"}},
                                  {"503", {.description = "the file service is out of service"}}}}},
          [&app](fw::Request& req, fw::Response& res) {
            app.fetch.proxy["files"](req, res,
                                     {.path = fw::url_subpath(req.param("*").value_or(""))});
          });

  app.put(
      "/files/*",
      {.docs = {.summary = "Store a file",
                .operation_id = "putFile",
                .responses = {{"201",
                               {.description = "the file is stored", .content_type = "text/html"}},
                              {"204", {.description = "the file is replaced"}},
                              {"503", {.description = "the file service is out of service"}}}},
       .body_parser = {.max_body_size = "1gb", .stream = true}},
      [&app](fw::Request& req, fw::Response& res) {
        app.fetch.proxy["files"](req, res,
                                 {.path = fw::url_subpath(req.param("*").value_or("")),
                                  .forward_headers = {"content-type"}});
      });
});
