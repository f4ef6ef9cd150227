#include "pipeline/measured_request.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "observe/exposition.hpp"
#include "support/table_builder.hpp"

namespace measured_request_test {

namespace {

/// The metrics of requests of many kinds, without durations. With the access log, the end of a
/// request is known, so that most of them are counted by `RequestMetrics::end_usual`.
std::string metrics_after_requests(bool has_access_log) {
  fw::Config config = fw::testing::TestApp::test_config();
  config.admin.port = 9464;  // a TestApp does not open it
  config.access_log.enabled = has_access_log;
  fw::support::OneFileApp app(
      [](fw::Router& router) {
        const auto send = [](fw::Request&, fw::Response& res) { res.json({{"a", 1}}); };
        router.get("/plain", send);
        router.post("/plain", send);
        router.get("/cached", {.cache = 60'000}, send);
        router.get("/text", [](fw::Request&, fw::Response& res) { res.text("text"); });
        router.get("/created",
                   [](fw::Request&, fw::Response& res) { res.status(201).json({{"a", 1}}); });
        router.get("/empty", [](fw::Request&, fw::Response& res) {
          res.status(204);
          res.end();
        });
        router.get("/redirect", [](fw::Request&, fw::Response& res) { res.redirect("/plain"); });
        router.get("/fails", [](fw::Request&, fw::Response&) { throw fw::HttpError(409, "no"); });
        router.get("/broken", [](fw::Request&, fw::Response&) { throw 1; });
        router.get("/stream", [](fw::Request&, fw::Response& res) {
          res.stream(fw::Readable(std::string("streamed")));
        });
      },
      config);
  for (const char* path : {"/plain", "/cached", "/cached", "/text", "/created", "/empty",
                           "/redirect", "/fails", "/broken", "/stream", "/missing"}) {
    for (const char* method : {"GET", "HEAD", "OPTIONS", "DELETE"}) {
      app.request(method, path).send();
    }
  }
  app.request("POST", "/plain").json({{"b", 2}}).send();
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  fw::detail::Access::core(app.app()).env.metrics->write(text);
  const std::regex durations("[^\n]*_duration_seconds_(bucket|sum)[^\n]*\n");
  return std::regex_replace(text.finish(), durations, "");
}

}  // namespace

TEST_CASE("measured requests: the usual ones are counted as any other") {
  const std::string usual = metrics_after_requests(true);
  CHECK(usual.find("_count") != std::string::npos);
  CHECK(usual == metrics_after_requests(false));
}

}  // namespace measured_request_test
