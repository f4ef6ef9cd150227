// The generated structs at work: this file compiles golden/include with all warnings, after headers
// whose macros are among the names.
#include <fairway/app_table.hpp>
#include <fairway/routes/people.routes.hpp>
#include <fairway/routes/plain.routes.hpp>
#include <fairway/routes/std/2fa.routes.hpp>
#include <fairway/routes/users.routes.hpp>
#include <fairway/routes/users/Admin.routes.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <type_traits>

namespace emitted_types_test {

using routes::users::CreateUserV2;

TEST_CASE("emitted types: a body is read and written with its JSON names") {
  const fw::Json json = fw::Json::parse(R"({
    "name": "Ada", "address": {"address": {"city": "Rome"}, "Address": 5},
    "tags": [{"key": "k", "kind": "b"}], "codes": ["y"], "flags": [true, false],
    "matrix": [[1, 2], [3]], "things": [1, "a"], "state": "EAGAIN",
    "Body": {"Body": true}, "State": {"free": 1}, "linux": {"free": 2}, "json": "j", "value": "v",
    "a b": "1", "CHAR_BIT": 8, "na\u00efve": "2024-01-01T00:00:00Z"})");
  const auto body = json.get<CreateUserV2::Body>();
  CHECK(body.name == "Ada");
  CHECK(body.address.address.city == "Rome");
  CHECK(body.address.Address_ == 5);
  REQUIRE(body.tags.size() == 1);
  CHECK(to_string(body.tags[0].kind) == "b");
  REQUIRE(body.codes);
  CHECK(to_string(body.codes->at(0)) == "y");
  CHECK(body.flags == std::vector<bool>{true, false});
  CHECK(body.matrix->at(1).at(0) == 3);
  CHECK(body.state == CreateUserV2::Body::State_::EAGAIN_);
  CHECK(to_string(body.state) == "EAGAIN");
  CHECK(body.linux_ == fw::Json{{"free", 2}});
  CHECK(body.a_b == "1");
  CHECK(body.CHAR_BIT_ == 8);
  CHECK_FALSE(body.to_string_);
  CHECK(fw::Json(body) == json);
}

TEST_CASE("emitted types: absent and null fields are empty, and reading again clears them") {
  CreateUserV2::Query query = fw::Json{{"sort", "desc"}, {"limit", 2.5}}.get<CreateUserV2::Query>();
  REQUIRE(query.sort);
  CHECK(to_string(*query.sort) == "desc");
  CHECK(query.limit == 2.5);
  from_json(fw::Json{{"sort", nullptr}}, query);
  CHECK_FALSE(query.sort);
  CHECK_FALSE(query.limit);
  CHECK(fw::Json(query) == fw::Json::object());
}

TEST_CASE("emitted types: a missing required field and an unknown enum value throw") {
  CHECK_THROWS_AS(fw::Json::object().get<CreateUserV2::Param>(), fw::Json::out_of_range);
  CHECK_THROWS_AS((fw::Json{{"sort", "up"}}.get<CreateUserV2::Query>()), std::invalid_argument);
}

TEST_CASE("emitted types: each struct has its location, and header names are lower case") {
  CHECK(CreateUserV2::Param::kLocation == fw::Location::param);
  CHECK(CreateUserV2::Query::kLocation == fw::Location::query);
  CHECK(CreateUserV2::Header::kLocation == fw::Location::header);
  CHECK(CreateUserV2::Cookie::kLocation == fw::Location::cookie);
  CHECK(CreateUserV2::Body::kLocation == fw::Location::body);
  CHECK((fw::Json{{"x-trace-id", "t"}}.get<CreateUserV2::Header>().x_trace_id == "t"));
  CHECK((fw::Json{{"class", "c"}}.get<CreateUserV2::Cookie>().class_ == "c"));
}

TEST_CASE("emitted types: a response has the type of its schema") {
  CHECK(CreateUserV2::Response200{.id = 1, .at = {}}.id == 1);
  CHECK((std::is_same_v<CreateUserV2::Response201, std::vector<CreateUserV2::Response201Item>>));
  CHECK(to_string(CreateUserV2::Response202::off) == "off");
  CHECK((std::is_same_v<CreateUserV2::Response404, std::string>));
  CHECK((std::is_same_v<CreateUserV2::Response5xx, fw::Json>));
  CHECK((std::is_same_v<CreateUserV2::ResponseDefault, std::vector<std::string>>));
}

TEST_CASE("emitted types: enumerations of a file with the same name and values are one type") {
  using routes::plain::CreatePlain;
  using routes::plain::GetPlain;
  CHECK((std::is_same_v<GetPlain::Query::State, routes::plain::State>));
  CHECK((std::is_same_v<CreatePlain::Body::State, routes::plain::State>));
  CHECK_FALSE((std::is_same_v<CreatePlain::Response200::State, routes::plain::State>));
  const fw::Json json = {{"name", "a"}, {"state", "in-progress"}};
  const auto query = json.get<GetPlain::Query>();
  CreatePlain::Body body;
  body.state = *query.state;
  CHECK(body.state == GetPlain::Query::State::in_progress);
  CHECK(to_string(body.state) == "in-progress");
  CHECK(fw::Json(body.state) == "in-progress");
}

TEST_CASE("emitted types: a schema within another one has the type of an equal one of the file") {
  using routes::plain::CreatePlain;
  using routes::plain::UpdatePlainById;
  CHECK((std::is_same_v<CreatePlain::Body::Address, UpdatePlainById::Body>));
  CHECK((std::is_same_v<CreatePlain::Body::Former, UpdatePlainById::Body>));
  CHECK((std::is_same_v<CreatePlain::Response200::Where, UpdatePlainById::Response200>));
  CreatePlain::Response200 response;
  response.where = UpdatePlainById::Response200{.city = "Rome"};
  CHECK(fw::Json(response.where) == fw::Json{{"city", "Rome"}});
}

TEST_CASE("emitted types: files of one name in different folders have their own namespaces") {
  CHECK((std::is_same_v<decltype(routes::std_::_2fa::GetStd2faMe::Query::q), std::string>));
  CHECK((std::is_same_v<decltype(routes::people::GetPeopleMe::Query::q), std::string>));
}

TEST_CASE("emitted types: a struct with the name of a namespace is renamed") {
  CHECK((std::is_same_v<routes::users::Admin_::Response200, std::string>));
}

}  // namespace emitted_types_test
