// URLs of calls: their parts, and how they are logged.
#include "client/network/url.hpp"

#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include "base/loggable_url.hpp"

namespace url_test {

TEST_CASE("URLs: host and path are normalised, and the bytes of the query are kept") {
  using fw::client::parse_url;
  const auto text = [](std::string_view url) { return parse_url(url).text; };
  CHECK(text("HTTP://h.example:8080") == "http://h.example:8080/");
  CHECK(text("http://h/a/../b/./c%zz") == "http://h/b/c%zz");
  CHECK(text("http://h?x") == "http://h/?x");
  CHECK(text("http://h/?") == "http://h/");
  CHECK(text("http://h/#part?x") == "http://h/");
  CHECK(text("http://h/?a=%3b&b=+%2B&%zz&c=[\"]|'<>\\^`{}~/?:@!$;,*()") ==
        "http://h/?a=%3b&b=+%2B&%zz&c=[\"]|'<>\\^`{}~/?:@!$;,*()");
  CHECK(text("http://h/?a b\xC3\xBC") == "http://h/?a%20b%C3%BC");
  CHECK(parse_url("http://h/a?b=c/d").target() == "/a?b=c/d");
  CHECK(parse_url("https://H/").origin == "https://h:443");
  for (const std::string wrong : {"http://h/?a\r\nX: y", "http://h/\r\nX: y", "http://u:p@h/",
                                  "http://@:80/", "http://h:65536/", "ftp://h/"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_url(wrong), std::invalid_argument);
  }
  using fw::client::resolve_url;
  const auto base = parse_url("http://h/a/b?x=%3a");
  CHECK(resolve_url(base, "c").text == "http://h/a/c");
  CHECK(resolve_url(base, "?y=%3b").text == "http://h/a/b?y=%3b");
  CHECK(resolve_url(base, "#part").text == "http://h/a/b?x=%3a");
  CHECK(resolve_url(base, "//other/?z=%3c#part").text == "http://other/?z=%3c");
}

TEST_CASE("URLs: log lines and messages contain no secrets") {
  using fw::base::loggable_url;
  CHECK(loggable_url("https://user:password@h/a?token=secret&page=2#part") ==
        "https://h/a?token=…&page=…");
  CHECK(loggable_url("https://h/a@b") == "https://h/a@b");
  CHECK(loggable_url("http://h/?secret&=x&") == "http://h/?…&=…&");
  CHECK(loggable_url("no URL") == "no URL");
}

}  // namespace url_test
