#include "dev/masking.hpp"

#include <doctest/doctest.h>

#include <string>

namespace masking_test {

using namespace fairway::dev;

TEST_CASE("masking: values with secret names are hidden, whatever separates their words") {
  for (const char* const name : {"password", "X-Api-Key", "api_key", "Authorization", "Set-Cookie",
                                 "accessToken", "client.secret", "Proxy-Authorization"}) {
    CAPTURE(name);
    CHECK(is_secret_name(name));
  }
  for (const char* const name : {"name", "accept", "content-type", "page", "x-request-id"}) {
    CAPTURE(name);
    CHECK(!is_secret_name(name));
  }
}

TEST_CASE("masking: targets, and fields that have one") {
  CHECK(masked_target("/a") == "/a");
  CHECK(masked_target("/a?page=2&token=x&q") == "/a?page=2&token=***&q");
  CHECK(masked_target("/a?%74oken=x&") == "/a?%74oken=***&");  // an escaped name
  CHECK(masked_field("Location", "/a?code=1&token=x") == "/a?code=1&token=***");
  CHECK(masked_field("Cookie", "a=b") == "***");
  CHECK(masked_field("Accept", "*/*?token=x") == "*/*?token=x");
}

TEST_CASE("masking: bodies are shown if their names are known") {
  CHECK(masked_body("application/x-www-form-urlencoded", "name=a&password=b") ==
        "name=a&password=***");
  CHECK(masked_body("application/problem+json; charset=utf-8", R"([{"a":[{"token":{"x":1}}]}])") ==
        "[\n  {\n    \"a\": [\n      {\n        \"token\": \"***\"\n      }\n    ]\n  }\n]");
  CHECK(masked_body("application/json", R"({"token": "cut o)").empty());
  CHECK(masked_body("application/json", std::string(100'000, '[')).empty());
  CHECK(masked_body("text/plain;charset=utf-8", "text") == "text");
  CHECK(masked_body("text/html", "<input name=token value=x>").empty());
  CHECK(masked_body("", "text").empty());
}

}  // namespace masking_test
