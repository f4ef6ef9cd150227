// An application whose traces a collector receives.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/collector.hpp"
#include "support/table_builder.hpp"

namespace fw::support {

inline const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
inline const std::string kCaller = "b7ad6b7169203331";
inline const std::string kSampled = "00-" + kTrace + "-" + kCaller + "-01";
inline const std::string kUnsampled = "00-" + kTrace + "-" + kCaller + "-00";

inline Config traced(const std::string& endpoint, Config config = testing::TestApp::test_config()) {
  config.tracing.endpoint = endpoint;
  config.tracing.service_name = "shop";
  config.tracing.export_interval = 1;
  return config;
}

/// An application whose spans a collector receives.
struct Traced {
  using Change = std::function<void(Config&)>;

  explicit Traced(const std::function<void(Router&)>& routes, const Change& change = {},
                  const std::function<void(App&)>& set_up = {})
      : app(routes, changed(traced(collector.url()), change), [&](App& own) {
          own.set_logger(Logger(sink, LogLevel::trace));
          if (set_up) set_up(own);
        }) {}

  static Config changed(Config config, const Change& change) {
    if (change) change(config);
    return config;
  }
  testing::TestResponse get(const std::string& target, const std::string& parent = "") {
    auto request = app.request("GET", target);
    if (!parent.empty()) request.header("traceparent", parent);
    return request.send();
  }

  Collector collector;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  OneFileApp app;
};

/// The names of the spans whose parent is this one, in the order of their beginnings.
inline std::vector<std::string> children(std::vector<CollectedSpan> spans,
                                         const CollectedSpan& parent) {
  std::ranges::sort(spans, {}, &CollectedSpan::begin);
  std::vector<std::string> names;
  for (const CollectedSpan& span : spans) {
    if (span.parent == parent.id) names.push_back(span.name);
  }
  return names;
}

/// The traceparent of a request that a script has read.
inline std::string traceparent_in(const std::string& request) {
  const auto at = request.find("traceparent: ");
  return at == std::string::npos ? "none" : request.substr(at + 13, 55);
}

}  // namespace fw::support
