#include "base/media_type.hpp"

#include <doctest/doctest.h>

#include <string_view>

namespace fw::base {

TEST_CASE("media type: parameters and white space around it are not part of it") {
  CHECK(media_type("text/html; charset=utf-8") == "text/html");
  CHECK(media_type(" Text/HTML\t;charset=utf-8") == "Text/HTML");
  CHECK(media_type("text/html") == "text/html");
  CHECK(media_type("; charset=utf-8") == "");
  CHECK(media_type("") == "");
}

TEST_CASE("media type: JSON is application/json and what ends with +json") {
  for (const std::string_view json :
       {"application/json", "application/problem+json", "application/vnd.api+json",
        "application/json; charset=utf-8", "application/problem+json;charset=utf-8",
        "Application/JSON", "application/PROBLEM+JSON", " application/json ; q=1"}) {
    CAPTURE(json);
    CHECK(is_json(json));
  }
  for (const std::string_view other :
       {"", "application/jsonp", "application/json5", "application/x-ndjson",
        "application/json-seq", "text/json", "json", "+json", "text/plain; a=+json",
        "text/plain; a=application/json"}) {
    CAPTURE(other);
    CHECK_FALSE(is_json(other));
  }
}

TEST_CASE("media type: a value of Accept names media types") {
  CHECK(accepts("text/html", {"text/html"}));
  CHECK(accepts("application/xml, Text/HTML;q=0.9", {"text/html"}));
  CHECK(accepts("image/png,*/*;q=0.8", {"application/json", "*/*"}));
  CHECK_FALSE(accepts("text/htmlx, application/xhtml+xml; a=text/html", {"text/html"}));
  CHECK_FALSE(accepts("*/*", {"text/html"}));
  CHECK_FALSE(accepts("", {"text/html"}));
}

}  // namespace fw::base
