#include <doctest/doctest.h>

#include <limits>

#include "errors/messages.hpp"

namespace details_test {

using fw::Json;
using fw::detail::clean_details;

TEST_CASE("details: containers at depth eight are replaced, scalars are kept") {
  const auto nest = [](Json innermost) {
    for (const char* name : {"l7", "l6", "l5", "l4", "l3", "l2", "l1"}) {
      innermost = Json{{name, std::move(innermost)}};
    }
    return innermost;
  };
  CHECK(clean_details(nest({{"l8", {{"l9", 1}}}})) == nest({{"l8", "[MaxDepth]"}}));
  CHECK(clean_details(nest({{"l8", "v"}, {"arr", {1}}})) ==
        nest({{"l8", "v"}, {"arr", "[MaxDepth]"}}));
  CHECK(clean_details(Json::parse("[[[[[[[[[[1]]]]]]]]]]")) ==
        Json::parse(R"([[[[[[[["[MaxDepth]"]]]]]]]])"));
}

TEST_CASE("details: scalars are wrapped, null and empty values are omitted") {
  CHECK(clean_details("text") == Json{{"value", "text"}});
  CHECK(clean_details(42) == Json{{"value", 42}});
  CHECK(clean_details(false) == Json{{"value", false}});
  CHECK(clean_details(nullptr) == nullptr);
  CHECK(clean_details(Json::object()) == nullptr);
  CHECK(clean_details(Json::array()) == nullptr);
  CHECK(clean_details({{"a", nullptr}}) == Json{{"a", nullptr}});
}

TEST_CASE("details: values that JSON cannot express are replaced or removed") {
  Json details = {{"kept", 1}, {"gone", 2}, {"nan", std::numeric_limits<double>::quiet_NaN()}};
  details["gone"] = Json(Json::value_t::discarded);
  details["list"] = Json::array({1, Json(Json::value_t::discarded)});
  CHECK(clean_details(details) == Json{{"kept", 1}, {"nan", nullptr}, {"list", {1, nullptr}}});
}

}  // namespace details_test
