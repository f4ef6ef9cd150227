// Tables with pages, and requests of a browser.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "support/table_builder.hpp"

namespace fw::pages::test {

using fw::Json;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using namespace std::chrono_literals;

/// A table with a page, its script and its style sheet.
struct Pages : TableBuilder {
  Pages() {
    page("hello.html", "<h1>Hello {{name}}</h1>\n");
    page("hello.js", "console.log(1);\n");
    page("hello.css", "h1 { color: navy; }\n");
    page("plain.html", "<p>{{text}}</p>\n");
  }
};

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The value of the first attribute that begins so: `href="/_pages/hello.`.
inline std::string attribute(const std::string& html, const std::string& name,
                             const std::string& begin) {
  const std::string start = name + "=\"" + begin;
  const std::size_t at = html.find(start);
  REQUIRE(at != std::string::npos);
  const std::size_t value = at + name.size() + 2;
  return html.substr(value, html.find('"', value) - value);
}

inline fw::Config browser_config() {
  fw::Config config = TestApp::test_config();
  config.environment = "production";
  return config;
}

/// The same with a content security policy.
inline fw::Config policy_config(std::string policy) {
  fw::Config config = browser_config();
  config.security_headers.enabled = true;
  config.security_headers.content_security_policy.policy = std::move(policy);
  return config;
}

inline TestResponse browse(TestApp& app, const std::string& target) {
  return app.request("GET", target).header("Accept", "text/html").send();
}

}  // namespace fw::pages::test
