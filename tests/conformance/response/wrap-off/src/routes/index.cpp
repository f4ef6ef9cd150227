#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/json", [](fw::Request&, fw::Response& res) {
    res.json({{"hello", "world"},
              {"n", 1},
              {"nul", nullptr},
              {"nested", {1, {{"a", "\u00e9\u2028\"<>&"}}}}});
  });

  app.get("/null", [](fw::Request&, fw::Response& res) { res.json(nullptr); });

  app.get("/str", [](fw::Request&, fw::Response& res) { res.json("text"); });

  app.get("/arr", [](fw::Request&, fw::Response& res) { res.json(fw::Json::array()); });

  app.get("/201", [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"a", 1}}), 201); });

  app.get("/status-chain", [](fw::Request&, fw::Response& res) {
    res.status(202).set_header("X-Foo", "bar").json({{"a", 1}});
  });

  app.get("/404-json",
          [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"a", 1}}), 404); });

  app.get("/500-json",
          [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"a", 1}}), 500); });

  app.get("/304-json",
          [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"a", 1}}), 304); });

  app.get("/204", [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"a", 1}}), 204); });

  app.get("/204b", [](fw::Request&, fw::Response& res) { res.status(204).json(nullptr); });

  app.get("/204-text", [](fw::Request&, fw::Response& res) { res.status(204).text(""); });

  app.get("/text", [](fw::Request&, fw::Response& res) { res.text("héllo"); });

  app.get("/text-status", [](fw::Request&, fw::Response& res) { res.text("nope", 418); });

  app.get("/text-empty", [](fw::Request&, fw::Response& res) { res.text(""); });

  app.get("/stream",
          [](fw::Request&, fw::Response& res) { res.stream(responses::chunks({"a", "b", "c"})); });

  app.get("/stream-ct",
          [](fw::Request&, fw::Response& res) { res.status(206).stream("x,y", "text/csv"); });

  app.get("/raw", [](fw::Request&, fw::Response& res) { res.raw_json(fw::Json({{"a", 1}}), 203); });

  app.get("/download",
          [](fw::Request&, fw::Response& res) { res.download("data", "report.csv", "text/csv"); });

  app.get("/download-def",
          [](fw::Request&, fw::Response& res) { res.download("data", "a b.txt"); });

  app.get("/download-utf",
          [](fw::Request&, fw::Response& res) { res.download("data", "报告 \"x\"; (1).txt"); });

  app.get("/redir-default", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1"); });

  app.get("/redir-301", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 301); });

  app.get("/redir-302", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 302); });

  app.get("/redir-307", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 307); });

  app.get("/redir-308", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 308); });

  app.get("/redir-after-status", [](fw::Request&, fw::Response& res) {
    res.status(201);
    res.redirect("/x");
  });

  app.get("/redir-303", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 303); });

  app.get("/redir-200", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 200); });

  app.get("/redir-404", [](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", 404); });

  app.get("/double", [](fw::Request&, fw::Response& res) {
    res.json({{"first", true}});
    res.json({{"second", true}}, 500);
    res.text("third");
  });

  app.get("/nothing", [](fw::Request& req, fw::Response& res) {
    static_cast<void>(req);
    static_cast<void>(res);
  });

  app.get("/headers", [](fw::Request&, fw::Response& res) {
    res.set_header("x-a", "1");
    res.set_header("X-A", "2");
    res.json(res.status_code());
  });

  app.get("/bad-header", [](fw::Request&, fw::Response& res) {
    res.set_header("X-Bad", "a\r\nX-Injected: 1");
    res.json(1);
  });

  app.get("/bad-header-name", [](fw::Request&, fw::Response& res) {
    res.set_header("X Bad", "1");
    res.json(1);
  });

  app.get("/reqinfo",
          [](fw::Request& req, fw::Response& res) { responses::request_line(req, res); });
});
