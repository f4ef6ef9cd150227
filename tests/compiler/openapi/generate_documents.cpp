// Writes the OpenAPI documents of applications made at random: generate_documents DIR COUNT.
// With typed clients: DIR/clients/random07_client.hpp and DIR/clients/random07.ts.
// A last application, "typed", has C++ types of every form as its schemas.
// DIR/07.json is OpenAPI 3.1, DIR/07-3.0.json and the same in YAML, DIR/07-3.0.yaml, are 3.0.3;
// DIR/07-3.2.json is 3.2.0. DIR/asyncapi/07.json has the sockets.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>

#include "emit/clients/client_language.hpp"
#include "emit/openapi.hpp"
#include "files/whole_file.hpp"
#include "random_application.hpp"
#include "support/builders.hpp"
#include "support/typed_application.hpp"

namespace {

using fairway::model::Json;

fairway::model::OpenApiOptions options_of(std::uint32_t seed) {
  fairway::model::OpenApiOptions options;
  options.title = fmt::format("Generated {}", seed);
  options.description = "Made at random.\n\nFrom a seed.";
  options.info = Json::parse(
      R"({"license": {"name": "MIT", "identifier": "MIT"},
          "contact": {"name": "Nobody", "url": "https://example.com", "email": "a@example.com"}})");
  options.servers = {{.url = "https://api.example.com/v1", .description = "here"}};
  options.guard_security = {{"guard", "oauth"}};
  options.envelope = seed % 3 != 0;
  if (seed % 2 == 0) {
    options.security_schemes = Json::parse(
        R"({"apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            "oauth": {"type": "oauth2", "flows": {"clientCredentials": {
              "tokenUrl": "https://example.com/token",
              "scopes": {"read": "Read", "write": "Write"}}}}})");
  }
  return options;
}

void write(const fairway::model::Application& application, fairway::model::OpenApiOptions options,
           const std::filesystem::path& directory, const std::string& name,
           const std::string& client) {
  fairway::files::replace_file(
      directory / (name + ".json"),
      fairway::emit::openapi_text(fairway::emit::openapi_document(application, options)));
  const Json sockets =
      fairway::emit::asyncapi_document(fairway::emit::openapi_document(application, options));
  if (!sockets.is_null()) {
    fairway::files::replace_file(directory / "asyncapi" / (name + ".json"),
                                 fairway::emit::openapi_text(sockets));
  }
  const auto api = fairway::emit::client_api(application, options);
  for (const auto& language : fairway::emit::client_languages()) {
    fairway::files::replace_file(directory / "clients" / (client + std::string(language.ending)),
                                 language.emit(api, client));
    if (!language.support_file.empty()) {
      fairway::files::replace_file(directory / "clients" / language.support_file,
                                   language.emit_support());
    }
  }
  options.openapi = fairway::model::OpenApiVersion::v3_2;
  fairway::files::replace_file(
      directory / (name + "-3.2.json"),
      fairway::emit::openapi_text(fairway::emit::openapi_document(application, options)));
  options.openapi = fairway::model::OpenApiVersion::v3_0;
  const Json document = fairway::emit::openapi_document(application, options);
  fairway::files::replace_file(directory / (name + "-3.0.json"),
                               fairway::emit::openapi_text(document));
  fairway::files::replace_file(directory / (name + "-3.0.yaml"), fairway::emit::to_yaml(document));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: generate_documents DIR COUNT\n";
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  const auto count = static_cast<std::uint32_t>(std::stoul(argv[2]));
  for (std::uint32_t seed = 1; seed <= count; ++seed) {
    const auto resolution = fairway::testing::random_application(seed);
    if (!resolution.diagnostics.empty()) {
      std::cerr << "seed " << seed << ":\n" << fairway::testing::summary(resolution.diagnostics);
      return 1;
    }
    const std::string name = fmt::format("{:02}", seed);
    write(resolution.application, options_of(seed), directory, name, "random" + name);
  }
  write(fairway::testing::typed_application(), options_of(1), directory, "typed", "typed");
  return 0;
}
