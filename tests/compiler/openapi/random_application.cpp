#include "random_application.hpp"

#include <string>
#include <utility>
#include <vector>

#include "model/value_members.hpp"
#include "random_schemas.hpp"
#include "support/builders.hpp"
#include "support/reference_options.hpp"

namespace fairway::testing {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kFiles = {"routes/index.cpp",         "routes/users.cpp",
                                         "routes/orders/items.cpp",  "routes/admin/products.cpp",
                                         "routes/user-profiles.cpp", "routes/v1/index.cpp"};
const std::vector<std::string> kMethods = {"GET",    "POST", "PUT",    "PATCH",
                                           "DELETE", "HEAD", "OPTIONS"};

/// A path below a word of its own, so that no two routes clash.
struct Path {
  std::string text;
  std::vector<std::string> parameters;
};

class RouteMaker {
 public:
  RouteMaker(RandomSource& random, std::size_t number) : random_(random), number_(number) {}

  /// The routes of one path: other methods, other names of its parameters, a wildcard beside it.
  std::vector<model::Registration> routes() {
    const std::vector<std::vector<Path>> shapes = {
        {{"", {}}},
        {{"/:id", {"id"}}, {"/:thing_id", {"thing_id"}}},
        {{"/:id/parts/:partId", {"id", "partId"}}},
        {{"/:name.:ext", {"name", "ext"}}},
        {{"/*rest", {"rest"}}},
        {{"/*", {"*"}}},
    };
    const auto& names = random_.pick(shapes);
    std::vector<model::Registration> result;
    for (const std::string& method : kMethods) {
      if (random_.chance(30)) result.push_back(registration(method, random_.pick(names)));
    }
    if (result.empty()) result.push_back(registration("GET", names.front()));
    if (random_.chance(10)) {
      number_ += 1000;
      result.push_back(registration("GET", {"/:one", {"one"}}));
      result.push_back(registration("GET", {"/*all", {"all"}}));
      result.push_back(registration("PUT", {"/*all", {"all"}}));
    }
    if (number_ % 3 == 0) result.push_back(stream());
    if (number_ % 4 == 0) result.push_back(socket());
    return result;
  }

 private:
  /// A stream of events or of lines.
  model::Registration stream() {
    RandomSource random(static_cast<std::uint32_t>(number_));
    Json schemas = Json::object();
    for (const char* event : {"created", "order.gone", "message"}) {
      if (schemas.empty() || random.chance(60)) schemas[event] = random_response(random).schema;
    }
    const model::Value declared = reference_options({{"responses", schemas}});
    model::Value named = *model::member_value(declared, "responses");
    const model::Value items = number_ % 2 == 0 ? call("lines", {named.items.front().items[1]})
                                                : call("events", {std::move(named)});
    return route(random.chance(70) ? "GET" : "POST", "/w" + std::to_string(number_) + "/stream",
                 testing::options({{"responses", entries({{"200", items}})}}));
  }

  /// A socket whose messages have names that are no identifiers.
  model::Registration socket() {
    RandomSource random(static_cast<std::uint32_t>(number_));
    const auto messages = [&](std::initializer_list<const char*> names) {
      Json declared = Json::object();
      for (const char* name : names) {
        declared[name] = random_object(random, random.below(4), 2).schema;
        declared[name].erase("type");
      }
      const model::Value options = reference_options({{"responses", declared}});
      return *model::member_value(options, "responses");
    };
    testing::Named options = {{"receive", messages({"say", "order.gone", "then"})},
                              {"send", messages({"said", "new\"s/~", "constructor"})}};
    if (random.chance(30)) options.front().second = call("raw", {});
    if (random.chance(50)) options.emplace_back("auth", testing::flag(true));
    return route("SOCKET", "/w" + std::to_string(number_) + "/:room/socket",
                 testing::options(std::move(options)));
  }

  model::Registration registration(const std::string& method, const Path& path) {
    const std::string text = "/w" + std::to_string(number_) + path.text;
    model::Registration made = random_.chance(10)
                                   ? route(method, text)
                                   : route(method, text, reference_options(options(method, path)));
    while (random_.chance(40)) made.handler.sent.push_back(error());
    return made;
  }

  /// Some codes have names that documents and clients use for something else.
  model::SentResponse error() {
    const std::vector<int> statuses = {400, 401, 404, 409, 422, 503};
    const std::vector<std::string> codes = {
        "",           R"("NOT_FOUND")", R"("order.gone")", "40901",       "-1",
        R"("Error")", R"("REQUEST")",   R"("API_ERROR")",  R"("\u00e9")", R"("a\"*/\\ b")"};
    model::SentResponse error;
    error.function = "raise";
    error.statuses = {random_.pick(statuses)};
    error.code = random_.pick(codes);
    return error;
  }

  Json options(const std::string& method, const Path& path) {
    Json result = Json::object();
    if (Json validate = this->validate(method, path); !validate.empty()) {
      result["validate"] = std::move(validate);
    }
    if (random_.chance(50)) result["auth"] = auth();
    if (random_.chance(30)) result["middlewares"] = middlewares();
    if (random_.chance(60)) add_responses(result);
    add_documentation(method, path.parameters.empty() ? "" : path.parameters[0], result["docs"]);
    const bool has_body = method == "POST" || method == "PUT";
    if (has_body && random_.chance(30)) result["multipart"] = multipart();
    add_others(result);
    return result;
  }

  Json validate(const std::string& method, const Path& path) {
    Json result = Json::object();
    for (const std::string& name : path.parameters) {
      if (random_.chance(50)) result["param"][name] = random_scalar(random_).schema;
    }
    for (const char* location : {"query", "cookie"}) {
      for (const char* name : {"page", "sort_by", "filter.x"}) {
        if (random_.chance(15)) result[location][name] = random_scalar(random_).schema;
      }
    }
    for (const char* name : {"x-trace-id", "If-Match"}) {
      if (random_.chance(15)) result["header"][name] = random_scalar(random_).schema;
    }
    const bool may_have_body = method != "GET" && method != "HEAD" && method != "OPTIONS";
    if (may_have_body && random_.chance(60)) {
      result["body"] = random_object(random_, 1 + random_.below(6), 3).schema;
    }
    return result;
  }

  Json auth() {
    switch (random_.below(6)) {
      case 0:
        return true;
      case 1:
        return false;
      case 2:
        return {{"required", false}};
      case 3:
        return {{"required", false}, {"roles", {"admin"}}, {"mode", "all"}};
      case 4:
        return {{"scopes", {"read"}}, {"security", "oauth"}};
      default:
        return {{"permissions", {"orders.write"}},
                {"check", "function: of the request"},
                {"security",
                 Json::array({{{"oauth", {"read", "write"}}}, {{"apiKey", Json::array()}}})}};
    }
  }

  Json middlewares() {
    Json list = Json::array({"guard"});
    if (random_.chance(50)) list.push_back("audit-log");
    return list;
  }

  // Selectors with a schema in `responses` have none in `docs.responses`.
  void add_responses(Json& options) {
    for (const char* selector : {"200", "201", "2xx", "404", "4xx", "default"}) {
      if (!random_.chance(30)) continue;
      const SchemaWithExample response = random_response(random_);
      const std::size_t place = random_.below(3);
      if (place == 0) {
        options["responses"][selector] = response.schema;
        continue;
      }
      Json& documented = options["docs"]["responses"][selector];
      documented["description"] = "The response with " + std::string(selector);
      documented["schema"] = response.schema;
      // Errors that the framework sends may have other bodies.
      if (place == 1) {
        documented["example"] = response.example;
      } else {
        documented["examples"]["first"] = {{"summary", "One"}, {"value", response.example}};
        documented["examples"]["second"] = {{"description", "The same"},
                                            {"value", response.example}};
      }
      if (random_.chance(30)) {
        documented["headers"]["X-Count"] = {{"description", "How many"},
                                            {"schema", {{"type", "integer"}}}};
        documented["headers"]["ETag"] = {{"description", "Version"}};
      }
    }
  }

  void add_documentation(const std::string& method, const std::string& path, Json& docs) {
    if (docs.is_null()) docs = Json::object();
    if (random_.chance(70)) docs["summary"] = "What it does";
    if (random_.chance(50)) docs["description"] = "Several lines:\n\n* of **Markdown**\n* `code`\n";
    if (random_.chance(40)) docs["tags"] = {"one", "two tags"};
    if (random_.chance(30)) {
      docs["operationId"] = "operation-" + method + "_" + std::to_string(number_) + path;
    }
    if (random_.chance(5)) docs["hidden"] = true;
    if (random_.chance(15)) docs["deprecated"] = true;
    if (random_.chance(15)) docs["security"] = security();
    if (random_.chance(30))
      docs["extensions"] = {{"x-team", "orders"}, {"x-deep", {{"a", {1, 2}}}}};
    if (random_.chance(15)) docs["access"] = "internal";
    if (random_.chance(15)) docs["access"] = {{"roles", {"admin"}}, {"tryItOut", false}};
    if (random_.chance(10) && (method == "POST" || method == "PUT")) {
      docs["requestBody"] = {{"required", true},
                             {"content", {{"text/plain", {{"schema", {{"type", "string"}}}}}}}};
    }
    for (const char* selector : {"202", "204", "302", "304", "206"}) {
      if (!random_.chance(10)) continue;
      docs["responses"][selector] = {{"description", "No JSON"}};
      const std::string status = selector;
      if (status == "202") docs["responses"][selector]["contentType"] = "text/csv";
      if (status == "206") docs["responses"][selector]["contentType"] = "application/octet-stream";
    }
  }

  Json security() {
    switch (random_.below(3)) {
      case 0:
        return Json::array();
      case 1:
        return Json::array({{{"oauth", {"read"}}}});
      default:
        return Json::array({{{"apiKey", Json::array()}}, Json::object()});
    }
  }

  Json multipart() {
    Json files = {{"avatar", {{"description", "Picture"}, {"required", random_.chance(50)}}},
                  {"doc", "Documents"}};
    Json result = {{"enabled", true}, {"files", std::move(files)}};
    if (random_.chance(50)) result["allowedMimeTypes"] = {"image/png", "image/jpeg"};
    if (random_.chance(50)) result["maxFiles"] = 3;
    if (random_.chance(50)) result["maxFileSize"] = "2mb";
    return result;
  }

  // What the document does not show.
  void add_others(Json& options) {
    if (random_.chance(20)) options["timeout"] = 5000;
    if (random_.chance(10)) {
      options["cache"] = {{"ttl", 1000}, {"methods", {"GET"}}, {"headers", {"accept"}}};
    }
    if (random_.chance(10)) options["session"] = {{"rolling", true}};
    if (random_.chance(10)) options["bodyParser"] = {{"maxBodySize", "2mb"}};
    if (random_.chance(10)) options["csrf"] = false;
    if (random_.chance(10)) options["securityHeaders"] = false;
    if (random_.chance(10)) {
      options["override"] = {{"rateLimit", {{"max", 5}}}, {"maxBodySize", "1mb"}};
    }
    if (random_.chance(10)) {
      options["frontend"] = {{"page", "home"}, {"hydration", "none"}};
    }
  }

  RandomSource& random_;
  std::size_t number_;
};

}  // namespace

rules::CheckedApplication random_application(std::uint32_t seed) {
  RandomSource random(seed);
  std::vector<model::ParsedFile> files;
  std::size_t number = 0;
  for (const std::string& path : kFiles) {
    if (!files.empty() && random.chance(40)) continue;
    std::vector<model::Registration> registrations;
    for (std::size_t count = 1 + random.below(3); count > 0; --count) {
      for (model::Registration& made : RouteMaker(random, ++number).routes()) {
        registrations.push_back(std::move(made));
      }
    }
    files.push_back(route_file(path, std::move(registrations)));
  }
  for (const char* name : {"guard", "audit-log"}) {
    files.push_back(
        component_file("middlewares/" + std::string(name) + ".cpp", model::ExportKind::middleware));
  }
  return checked(files);
}

}  // namespace fairway::testing
