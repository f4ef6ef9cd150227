#include <fairway/fairway.hpp>

#include "support/fetch_results.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/get", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.get(responses::up(app, "/echo?q=1")); });
  });

  app.get("/post", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res,
                       [&] { return app.fetch.post(responses::up(app, "/echo"), {{"a", 1}}); });
  });

  app.get("/post-null", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.post(responses::up(app, "/echo"), nullptr, {.headers = {{"x-h", "1"}}});
    });
  });

  app.get("/post-ct", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.post(responses::up(app, "/echo"), {{"a", 1}},
                            {.headers = {{"content-type", "application/x-custom"}}});
    });
  });

  app.get("/post-upper-ct", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.post(responses::up(app, "/echo"), {{"a", 1}},
                            {.headers = {{"Content-Type", "application/x-custom"}}});
    });
  });

  app.get("/post-str", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.post(responses::up(app, "/echo"), "str"); });
  });

  app.get("/post-0", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.post(responses::up(app, "/echo"), 0); });
  });

  app.get("/put", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(
        res, [&] { return app.fetch.put(responses::up(app, "/echo"), fw::Json::array({1})); });
  });

  app.get("/patch", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res,
                       [&] { return app.fetch.patch(responses::up(app, "/echo"), {{"p", 1}}); });
  });

  app.get("/delete", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.del(responses::up(app, "/echo")); });
  });

  app.get("/s404", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.get(responses::up(app, "/status/404")); });
  });

  app.get("/s500", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.get(responses::up(app, "/status/500")); });
  });

  app.get("/noprop", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up(app, "/echo"), {.propagate_request_id = false});
    });
  });

  app.get("/ownid", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up(app, "/echo"), {.headers = {{"X-Request-Id", "own"}}});
    });
  });

  app.get("/retry-ok", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up_with_id(app, req, "/flaky?fail=2&k="),
                           {.retry = 3, .retry_delay = 5});
    });
  });

  app.get("/retry-exhaust", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up_with_id(app, req, "/flaky?fail=9&k="),
                           {.retry = 2, .retry_delay = 5});
    });
  });

  app.get("/retry-post", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.post(responses::up_with_id(app, req, "/flaky?fail=1&k="), {{"a", 1}},
                            {.retry = 3, .retry_delay = 5});
    });
  });

  app.get("/retry-put", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.put(responses::up_with_id(app, req, "/flaky?fail=1&k="), {{"a", 1}},
                           {.retry = 3, .retry_delay = 5});
    });
  });

  app.get("/retry-404", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up_with_id(app, req, "/status/404?k="),
                           {.retry = 3, .retry_delay = 5});
    });
  });

  app.get("/retry-net", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up_with_id(app, req, "/reset?fail=1&k="),
                           {.retry = 2, .retry_delay = 5});
    });
  });

  app.get("/retry-net-exhaust", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up_with_id(app, req, "/reset?fail=9&k="),
                           {.retry = 1, .retry_delay = 5});
    });
  });

  app.get("/retry-fn", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched_with_delays(res, [&](fw::RetryDelay delay) {
      return app.fetch.get(responses::up_with_id(app, req, "/flaky?fail=2&k="),
                           {.retry = 2, .retry_delay = delay});
    });
  });

  app.get("/timeout", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(
        res, [&] { return app.fetch.get(responses::up(app, "/slow?ms=300"), {.timeout = 50}); });
  });

  app.get("/timeout-retry", [&app](fw::Request& req, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up_with_id(app, req, "/slow?ms=300&k="),
                           {.timeout = 50, .retry = 2, .retry_delay = 1});
    });
  });

  app.get("/slowbody", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up(app, "/slowbody?ms=150"), {.timeout = 80});
    });
  });

  app.get("/abort", [&app](fw::Request&, fw::Response& res) {
    responses::fetched_until(res, std::chrono::milliseconds(40), [&](std::stop_token signal) {
      return app.fetch.get(responses::up(app, "/slow?ms=300"), {.signal = signal});
    });
  });

  app.get("/abort-early", [&app](fw::Request&, fw::Response& res) {
    responses::fetched_until(res, std::chrono::milliseconds(0), [&](std::stop_token signal) {
      return app.fetch.get(responses::up(app, "/echo"), {.signal = signal});
    });
  });

  app.get("/refused", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.get("http://127.0.0.1:1/"); });
  });

  app.get("/opt/t0", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(
        res, [&] { return app.fetch.get(responses::up(app, "/status/500"), {.timeout = 0}); });
  });

  app.get("/opt/tneg", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(
        res, [&] { return app.fetch.get(responses::up(app, "/status/500"), {.timeout = -1}); });
  });

  app.get("/opt/tbig", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up(app, "/status/500"), {.timeout = 2147483648});
    });
  });

  app.get("/opt/r-1", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(
        res, [&] { return app.fetch.get(responses::up(app, "/status/500"), {.retry = -1}); });
  });

  app.get("/opt/d-1", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(
        res, [&] { return app.fetch.get(responses::up(app, "/status/500"), {.retry_delay = -1}); });
  });

  app.get("/opt/dfn", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      return app.fetch.get(responses::up(app, "/status/500"),
                           {.retry = 1, .retry_delay = [](int) { return -5; }});
    });
  });

  app.get("/create", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      const auto client = app.fetch.create(
          {.base_url = responses::up(app, "/echo/"), .headers = {{"x-c", "c"}, {"x-o", "base"}}});
      return client.get("users?x=1", {.headers = {{"x-o", "call"}}});
    });
  });

  app.get("/create-abs", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      const auto client = app.fetch.create({.base_url = responses::up(app, "/echo")});
      return client.get(responses::up(app, "/echo/abs"));
    });
  });

  app.get("/create-post", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      const auto client = app.fetch.create({.base_url = responses::up(app, "/echo")});
      return client.post("/p", {{"a", 1}});
    });
  });

  app.get("/create-nested", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      const auto client = app.fetch.create(
          {.base_url = responses::up(app, "/echo"), .headers = {{"x-a", "1"}}, .timeout = 30});
      const auto nested =
          client.create({.base_url = responses::up(app, "/echo/n"), .headers = {{"x-b", "1"}}});
      return nested.get("/z");
    });
  });

  app.get("/create-timeout", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      const auto client = app.fetch.create({.base_url = responses::up(app), .timeout = 40});
      return client.get("/slow?ms=200");
    });
  });

  app.get("/create-bad", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] {
      const auto client = app.fetch.create({.base_url = responses::up(app), .timeout = 0});
      return client.get("/echo");
    });
  });

  app.get("/factory-app", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch(responses::up(app, "/echo")); });
  });
});
