#include <doctest/doctest.h>

#include "exchange/header_values.hpp"

using namespace fw::detail;

TEST_CASE("negotiation: entity tags tell contents apart and are compared weakly") {
  const std::string tag = make_entity_tag("one");
  CHECK(tag == make_entity_tag("one"));
  CHECK(tag != make_entity_tag("two"));
  CHECK(tag.size() == 18);
  CHECK(names_entity_tag(tag, tag));
  CHECK(names_entity_tag("W/" + tag, tag));
  CHECK(names_entity_tag("\"x\" , " + tag, tag));
  CHECK(names_entity_tag("*", tag));
  CHECK_FALSE(names_entity_tag("\"x\"", tag));
  CHECK_FALSE(names_entity_tag("", tag));
}

TEST_CASE("negotiation: a coding is given to those who name it") {
  CHECK(takes_coding("gzip", "gzip"));
  CHECK(takes_coding("deflate, GZIP;q=0.5, br", "gzip"));
  CHECK(takes_coding("*", "gzip"));
  CHECK_FALSE(takes_coding(std::nullopt, "gzip"));
  CHECK_FALSE(takes_coding("", "gzip"));
  CHECK_FALSE(takes_coding("br", "gzip"));
  CHECK_FALSE(takes_coding("gzip;q=0", "gzip"));
  CHECK_FALSE(takes_coding("gzip ; q=0.000, *", "gzip"));
  CHECK_FALSE(takes_coding("gzipped", "gzip"));
}
