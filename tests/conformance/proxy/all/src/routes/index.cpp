#include <fairway/fairway.hpp>

#include "support/fetch_results.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/n", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo/a", .forward_headers = {"content-type"}});
  });

  app.put("/n", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo/a", .forward_headers = {"content-type"}});
  });

  app.del("/n", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo/a", .forward_headers = {"content-type"}});
  });

  app.post("/retrypost", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](
        req, res,
        {.path = "/flaky?fail=1&k=" + std::string(req.request_id()), .retry = 3, .retry_delay = 5});
  });

  app.put("/retryput", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](
        req, res,
        {.path = "/flaky?fail=1&k=" + std::string(req.request_id()), .retry = 3, .retry_delay = 5});
  });

  app.get("/slowbody", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/slowbody?ms=200", .timeout = 80});
  });

  app.get("/cut", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/cut"});
  });

  app.get("/redir", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/redir"});
  });

  app.get("/cookies", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/cookies"});
  });

  app.get("/gzip", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/gzip"});
  });

  app.get("/gzipbin", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/gzip?ct=application/zip"});
  });

  app.get("/bin", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/bin"});
  });

  app.get("/hdrfn", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](
        req, res,
        {.path = "/echo", .inject_headers = [](const fw::FetchProxyHeaderContext& context) {
           return fw::Json{{"x-rid", context.req.request_id()}, {"x-t", context.target->name}};
         }});
  });

  app.get("/n", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo/a", .forward_headers = {"content-type"}});
  });

  app.get("/d", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy(req, res, {.url = responses::up(app, "/echo/d?z=1&a=base")});
  });

  app.get("/q", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res,
                          {.path = "/echo?a=path&p=1",
                           .query = {{"a", "opt"}, {"q", 5}, {"gone", nullptr}, {"b", true}}});
  });

  app.get("/body", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res,
                          {.path = "/echo",
                           .method = "POST",
                           .body = "fixed",
                           .headers = {{"content-type", "text/x"}}});
  });

  app.get("/getbody", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo", .method = "GET", .body = "ignored"});
  });

  app.get("/hdr", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up2"](
        req, res,
        {.path = "/echo",
         .headers = {{"x-order", "call"}, {"x-only-call", "1"}},
         .forward_headers = {"X-B", "x-a"},
         .inject_headers = {
             {"x-order", "inject"}, {"x-nul", nullptr}, {"x-num", 5}, {"x-bool", false}}});
  });

  app.get("/hdr2", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up2"](req, res, {.path = "/echo"});
  });

  app.get("/authyes", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res,
                          {.path = "/echo",
                           .forward_headers = {"authorization"},
                           .allow_authorization_forward = true});
  });

  app.get("/authtarget", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["authed"](req, res,
                              {.path = "/echo",
                               .forward_headers = {"Authorization"},
                               .allow_authorization_forward = false});
  });

  app.get("/authonlyflag", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["authed"](req, res, {.path = "/echo"});
  });

  app.get("/emptypath", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = ""});
  });

  app.get("/nourl", [&app](fw::Request& req, fw::Response& res) { app.fetch.proxy(req, res, {}); });

  app.get("/relurl", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy(req, res, {.url = "/x"});
  });

  app.get("/missing", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["nope"](req, res, {.path = "/x"});
  });

  app.get("/badtimeout", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo", .timeout = 0});
  });

  app.get("/badretry", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo", .retry = -1});
  });

  app.get("/baddelay", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/echo", .retry_delay = -1});
  });

  app.get("/refused", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy(req, res, {.url = "http://127.0.0.1:1/"});
  });

  app.get("/timeout", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/slow?ms=300", .timeout = 60});
  });

  app.get("/st200", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/200"});
  });

  app.get("/st201", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/201"});
  });

  app.get("/st301", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/301"});
  });

  app.get("/st400", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/400"});
  });

  app.get("/st404", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/404"});
  });

  app.get("/st418", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/418"});
  });

  app.get("/st500", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/500"});
  });

  app.get("/st503", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/status/503"});
  });

  app.get("/204", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/204"});
  });

  app.get("/304", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/304"});
  });

  app.get("/html", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/html"});
  });

  app.get("/retry", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](
        req, res,
        {.path = "/flaky?fail=2&k=" + std::string(req.request_id()), .retry = 3, .retry_delay = 5});
  });

  app.get("/retryex", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](
        req, res,
        {.path = "/flaky?fail=9&k=" + std::string(req.request_id()), .retry = 2, .retry_delay = 5});
  });

  app.get("/retrynet", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](
        req, res,
        {.path = "/reset?fail=1&k=" + std::string(req.request_id()), .retry = 1, .retry_delay = 5});
  });

  app.get("/targetretry", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["retrying"](req, res,
                                {.path = "/flaky?fail=1&k=" + std::string(req.request_id())});
  });

  app.get("/wrapped", [&app](fw::Request& req, fw::Response& res) {
    res.set_header("X-Mine", "1");
    app.fetch.proxy["up"](req, res, {.path = "/status/200"});
  });

  app.head("/hd", [&app](fw::Request& req, fw::Response& res) {
    app.fetch.proxy["up"](req, res, {.path = "/html"});
  });
});
