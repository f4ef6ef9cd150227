#include "observe/outbound_metrics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/listed_metrics.hpp"

namespace outbound_metrics_test {

using fw::detail::Exposition;
using fw::detail::OutboundMetrics;
using namespace std::chrono_literals;

namespace {

std::string text_of(const OutboundMetrics& metrics) {
  Exposition text(Exposition::Format::prometheus);
  metrics.write(text);
  std::string written = text.finish();
  CHECK(fw::support::unlisted_metrics(written) == "");
  return written;
}

/// The labels of the first series, without its bound.
std::string first_labels(const OutboundMetrics& metrics) {
  const std::string text = text_of(metrics);
  const auto begin = text.find('{') + 1;
  return text.substr(begin, text.find(",le=", begin) - begin);
}

}  // namespace

TEST_CASE("outbound metrics: the labels of a server are its address and port") {
  const auto labels = [](const std::string& origin) {
    OutboundMetrics metrics;
    metrics.count_failure({.origin = origin, .method = "POST", .duration = 1ms}, "timeout");
    return first_labels(metrics);
  };
  const std::string method = R"(http_request_method="POST",)";
  CHECK(labels("https://api.test:443") ==
        method + R"(server_address="api.test",server_port="443",error_type="timeout")");
  CHECK(labels("http://[2001:db8::1]:80") ==
        method + R"(server_address="[2001:db8::1]",server_port="80",error_type="timeout")");
  CHECK(labels("http://localhost:80/run/app.sock") ==
        method + R"(server_address="/run/app.sock",error_type="timeout")");
  CHECK(labels("") == method + R"(error_type="timeout")");
}

TEST_CASE("outbound metrics: methods, statuses and servers have a bound") {
  OutboundMetrics metrics;
  for (const std::string method : {"BREW", "get", "PROPFIND"}) {
    metrics.count_response({.origin = "", .method = method, .duration = 1ms}, 999);
  }
  CHECK(text_of(metrics).find("_count{http_request_method=\"_OTHER\","
                              "http_response_status_code=\"5xx\"} 3\n") != std::string::npos);
  for (int i = 0; i < 100'000; ++i) {
    const std::string origin = "https://host" + std::to_string(i) + ".test:443";
    metrics.count_response({.origin = origin, .method = "GET", .duration = 1ms}, 200);
  }
  const std::string text = text_of(metrics);
  CHECK(std::count(text.begin(), text.end(), '\n') < 20'000);
  CHECK(text.find("_count{otel_metric_overflow=\"true\"} 99001\n") != std::string::npos);
}

}  // namespace outbound_metrics_test
