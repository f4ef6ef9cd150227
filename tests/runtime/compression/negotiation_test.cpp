#include <doctest/doctest.h>

#include "compression/compression_policy.hpp"
#include "features/cache/preconditions.hpp"
#include "http/header_values.hpp"
#include "http/http_date.hpp"

namespace negotiation_test {

using namespace fw::detail;
using namespace fw::compression;

TEST_CASE("negotiation: entity tags depend on the content and are compared weakly or strongly") {
  const auto weak = [](std::string_view list, std::string_view tag) {
    return names_entity_tag(list, tag, TagComparison::weak);
  };
  const auto strong = [](std::string_view list, std::string_view tag) {
    return names_entity_tag(list, tag, TagComparison::strong);
  };
  const std::string tag = make_entity_tag("one");
  CHECK(tag == make_entity_tag("one"));
  CHECK(tag != make_entity_tag("two"));
  CHECK(tag == "\"dpLDrTVAu4A8Ags67mbNiA\"");  // 128 bits of its SHA-256
  // A known collision of FNV-1a: whoever writes the content must not be able to repeat a tag.
  CHECK(make_entity_tag("8yn0iYCKYHlIj4-BwPqk") != make_entity_tag("GReLUrM4wMqfg9yzV3KQ"));
  CHECK(weak(tag, tag));
  CHECK(weak("W/" + tag, tag));
  CHECK(weak(tag, "W/" + tag));
  CHECK(weak("\"x\" , " + tag, tag));
  CHECK(weak(" ,, \"a,b\"", "\"a,b\""));
  CHECK(weak("*", tag));
  CHECK_FALSE(weak("\"x\"", tag));
  CHECK_FALSE(weak("", tag));
  CHECK_FALSE(weak("\"open", "\"open"));
  CHECK_FALSE(weak("x, " + tag, tag));  // a list that is malformed up to there
  CHECK(strong(tag, tag));
  CHECK(strong("*", "W/" + tag));
  CHECK_FALSE(strong("W/" + tag, "W/" + tag));
  CHECK_FALSE(strong("W/" + tag, tag));
}

TEST_CASE("negotiation: quality values of codings") {
  const auto weight = weight_of_coding;
  CHECK(weight("gzip", "gzip") == 1'000);
  CHECK(weight("x-gzip", "gzip") == 1'000);
  CHECK(weight("deflate, GZIP;q=0.5, br", "gzip") == 500);
  CHECK(weight("gzip;q=0.123", "gzip") == 123);
  CHECK(weight("*", "gzip") == 1'000);
  CHECK(weight("*;q=0.2, gzip", "br") == 200);
  CHECK(weight(std::nullopt, "gzip") == 0);
  CHECK(weight("", "gzip") == 0);
  CHECK(weight("br", "gzip") == 0);
  CHECK(weight("gzip;q=0", "gzip") == 0);
  CHECK(weight("gzip ; q=0.000, *", "gzip") == 0);
  CHECK(weight("gzipped", "gzip") == 0);
  for (const char* malformed : {"gzip;q=2", "gzip;q=", "gzip;q=0,5", "gzip;q=1.001", "gzip;q=.5"}) {
    CAPTURE(malformed);
    CHECK(weight(malformed, "gzip") == 0);
  }
  CHECK(weight("br", "identity") == 1);  // acceptable, but less than anything that is named
  CHECK(weight("identity;q=0", "identity") == 0);
  CHECK(weight("*;q=0", "identity") == 0);
  CHECK(weight("*;q=0, identity", "identity") == 1'000);
}

TEST_CASE("negotiation: the coding that the client prefers, on a tie the server's order") {
  constexpr Coding kAvailable[] = {Coding::zstd, Coding::brotli, Coding::gzip};
  const auto choose = [&](std::optional<std::string_view> field) -> std::string {
    const auto coding = choose_coding(field, kAvailable);
    return coding ? std::string(fw::compression::name_of(*coding)) : "-";
  };
  CHECK(choose(std::nullopt) == "-");
  CHECK(choose("") == "-");
  CHECK(choose("gzip, deflate, br, zstd") == "zstd");
  CHECK(choose("gzip, br") == "br");
  CHECK(choose("gzip;q=1.0, br;q=0.9") == "gzip");
  CHECK(choose("gzip;q=0.001") == "gzip");
  CHECK(choose("gzip;q=0.5, identity") == "-");
  CHECK(choose("gzip;q=0.5, identity;q=0.5") == "gzip");
  CHECK(choose("*;q=0") == "-");
  CHECK(choose("identity;q=0, *") == "zstd");
  CHECK(choose("deflate") == "-");
}

TEST_CASE("negotiation: dates are read in the three HTTP formats") {
  constexpr std::int64_t kMoment = 784'111'777;
  CHECK(fw::http::format_http_date(kMoment) == "Sun, 06 Nov 1994 08:49:37 GMT");
  const auto parse = fw::http::parse_http_date;
  CHECK(parse("Sun, 06 Nov 1994 08:49:37 GMT") == kMoment);
  CHECK(parse("Sunday, 06-Nov-94 08:49:37 GMT") == kMoment);
  CHECK(parse("Sun Nov  6 08:49:37 1994") == kMoment);
  CHECK(parse("Thu, 29 Feb 2024 23:59:60 GMT") == 1'709'251'200);
  CHECK(parse("Mon Jan 10 00:00:00 2000") == 947'462'400);
  for (std::int64_t day = 0; day < 150 * 366; day += 13) {
    const std::int64_t seconds = day * 86'400 + 3'661;
    CHECK(parse(fw::http::format_http_date(seconds)) == seconds);
  }
  for (const char* wrong :
       {"", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 06 Nov 1994 08:+9:37 GMT", "1994-11-06"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse(wrong));
  }
}

}  // namespace negotiation_test
