// The types of which route options consist: copies have values of their own.
#include <fairway/route_options.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace declared_types_test {

fw::RouteOptions declared() {
  return {
      .validate = {.body = {{"name", "string:1-50"}, {"address", {{"city", "string"}}}}},
      .auth =
          fw::AuthRequirement{
              .roles = {"admin"}, .permissions = {{"doc.read", {{"id", 1}}}}, .security = "bearer"},
      .cache = fw::RouteCacheOptions{.ttl = 500, .query = {"page"}, .key = "all"},
      .middlewares = {"log", {"role", {{"required", "user"}}}},
      .responses = {{"200", {{"id", "integer"}}}, {404, "string"}},
      .docs = {.tags = {"a", "b"},
               .responses = {{"200", {.description = "Done", .schema = {{"id", "integer"}}}}}},
      .multipart = {.files = {{"avatar", "A picture"}}, .max_file_size = "1mb"},
      .frontend = {.data = {{"id", "integer"}}},
      .receive = {{"say", {{"text", "string"}}}},
  };
}

void check(const fw::RouteOptions& options) {
  REQUIRE(options.validate.body.entries().size() == 2);
  CHECK(options.validate.body.entries()[0].field().dsl() == "string:1-50");
  const fw::AuthRequirement& auth = options.auth.requirement();
  CHECK(auth.roles[0].str() == "admin");
  CHECK(std::get<fw::Json>(auth.permissions.at(0).resource.get()) == fw::Json{{"id", 1}});
  CHECK(std::get<fw::Json>(auth.permissions.at(0).context.get()).is_null());
  REQUIRE(auth.security.alternatives().size() == 1);
  CHECK(auth.security.alternatives()[0].schemes()[0].name.str() == "bearer");
  REQUIRE(options.cache.options() != nullptr);
  CHECK(std::get<fw::Text>(options.cache.options()->key.get()).str() == "all");
  REQUIRE(options.cache.options()->query.names() != nullptr);
  CHECK(options.cache.options()->query.names()->size() == 1);
  CHECK(options.middlewares.begin()[1].options() == fw::Json{{"required", "user"}});
  CHECK(options.responses.begin()[1].name.str() == "404");
  CHECK(std::get<fw::SchemaField>(options.responses.begin()[1].value.get()).dsl() == "string");
  CHECK(options.docs.tags.size() == 2);
  REQUIRE(options.docs.responses.begin()->value.schema.get() != nullptr);
  CHECK(options.multipart.files[0].rules.description.str() == "A picture");
  CHECK(options.multipart.max_file_size.text() == "1mb");
  CHECK(options.frontend.data.get() != nullptr);
  CHECK(options.receive.begin()->name.str() == "say");
}

TEST_CASE("route options: copied and moved options keep their values") {
  fw::RouteOptions options = declared();
  check(options);
  const fw::RouteOptions copy = options;
  fw::RouteOptions assigned;
  assigned = options;
  const fw::RouteOptions moved = std::move(options);
  check(copy);
  check(assigned);
  check(moved);
  assigned = fw::RouteOptions();
  CHECK(assigned.middlewares.empty());
  check(copy);
}

TEST_CASE("route options: what is not declared is empty") {
  const fw::RouteOptions options;
  CHECK(options.auth.requirement().required);
  CHECK(options.cache.options() == nullptr);
  CHECK(fw::Cache(0).options() == nullptr);
  CHECK(options.multipart.files.empty());
  CHECK(options.frontend.data.get() == nullptr);
  CHECK(std::holds_alternative<std::monostate>(fw::CacheKey().get()));
  CHECK(fw::CacheQuery(std::nullopt).names() == nullptr);
  REQUIRE(fw::CacheQuery().names() != nullptr);
  CHECK(fw::CacheQuery().names()->empty());
  CHECK(fw::OptionalResponseSchema().get() == nullptr);
}

TEST_CASE("route options: file fields may come from a vector") {
  const std::vector<fw::FileField> fields = {{"a", {.required = true}}};
  const fw::RouteOptions options{.multipart = {.files = fields}};
  REQUIRE(options.multipart.files.size() == 1);
  CHECK(options.multipart.files[0].rules.required);
}

}  // namespace declared_types_test
