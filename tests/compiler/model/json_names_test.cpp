#include "model/json_names.hpp"

#include <doctest/doctest.h>

namespace json_names_test {

using fairway::model::camel_case;

TEST_CASE("JSON names: camelCase of names in lower case, in capitals and of others") {
  CHECK(camel_case("customer_id") == "customerId");
  CHECK(camel_case("customer") == "customer");
  CHECK(camel_case("customerId") == "customerId");
  CHECK(camel_case("IN_REVIEW") == "inReview");
  CHECK(camel_case("DONE") == "done");
  CHECK(camel_case("URL2") == "url2");
  CHECK(camel_case("HTTPStatus") == "HTTPStatus");
  CHECK(camel_case("_private") == "private");
  CHECK(camel_case("trailing_") == "trailing");
  CHECK(camel_case("_") == "_");
  CHECK(camel_case("größe_A") == "größeA");
}

}  // namespace json_names_test
