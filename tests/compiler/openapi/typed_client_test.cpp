// Values of C++ types of every form, through the generated C++ client.
#include "typed_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <variant>

#include "support/typed_application.hpp"

namespace typed_client_test {

using Json = nlohmann::json;

namespace {

Json order_json() { return Json::parse(fairway::testing::typed_order().dump()); }

std::string error_of(const Json& json) {
  try {
    static_cast<void>(json.get<typed_api::NewOrderInput>());
  } catch (const typed_api::TransportError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("typed client: a value of every form is equal after a C++ value") {
  const Json json = order_json();
  const auto order = json.get<typed_api::NewOrderInput>();
  CHECK(Json(order) == json);
  CHECK(Json(order).get<typed_api::NewOrderInput>() == order);

  static_assert(
      std::is_same_v<decltype(order.payment), std::variant<typed_api::Card, typed_api::Transfer>>);
  REQUIRE(std::holds_alternative<typed_api::Transfer>(order.payment));
  CHECK(std::get<typed_api::Transfer>(order.payment).number == 12);
  CHECK(std::get<std::int64_t>(*order.reference) == 42);
  CHECK(order.channel == typed_api::Channel::phone);
  CHECK(order.labels.at("colour") == "red");
  CHECK((*order.category.children)[0].name == "leaf");
  CHECK((*order.category.parent)->name == "above");
  const auto& negation = std::get<typed_api::Not>(order.rule->when);
  CHECK(Json(negation).dump() == json["rule"]["when"].dump());
}

TEST_CASE("typed client: JSON text is read into the same value") {
  const Json json = order_json();
  typed_api::NewOrderInput order;
  CHECK(typed_api::detail::read_text(json.dump(), order));
  CHECK(order == json.get<typed_api::NewOrderInput>());
}

TEST_CASE("typed client: the discriminator selects the alternative that errors are about") {
  Json json = order_json();
  json["payment"] = {{"kind", "card"}, {"number", 12}};
  CHECK(error_of(json) == "payment/number must be a string");
  json["payment"] = {{"kind", "cash"}, {"number", 12}};
  CHECK(error_of(json) == "payment matches none of the allowed types");
  json["payment"] = {{"kind", "transfer"}, {"number", 1}, {"address", {{"town", "Ulm"}}}};
  CHECK(error_of(json) == "payment/address has no member 'city'");
}

TEST_CASE("typed client: default values hold the discriminator of their type") {
  CHECK(Json(typed_api::Transfer{.number = 3}).dump() == R"({"kind":"transfer","number":3})");
}

}  // namespace typed_client_test
