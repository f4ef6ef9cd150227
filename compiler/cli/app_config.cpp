#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/settings.hpp"
#include "files/data_file.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

using model::Json;

class ConfigReader {
 public:
  ConfigReader(const std::filesystem::path& file, emit::OpenApiOptions& options)
      : file_(file), options_(options) {}

  void read() {
    const auto text = files::read_file(file_);
    if (!text) throw UsageError(fmt::format("--app-config: cannot read '{}'", file_.string()));
    const Json root = files::read_data(file_.string(), *text);
    expect(root.is_object(), "", "an object");
    with(root, "", "response", [&](const Json& response, const std::string& at) {
      expect(response.is_object(), at, "an object");
      with(response, at, "wrap", [&](const Json& wrap, const std::string& pointer) {
        expect(wrap.is_boolean(), pointer, "true or false");
        options_.envelope = wrap;
      });
    });
    with(root, "", "openapi", [&](const Json& openapi, const std::string& at) {
      expect(openapi.is_object(), at, "an object");
      read_openapi(openapi, at);
    });
  }

 private:
  /// Calls `visit` with a member and its JSON pointer, if the member exists.
  template <class Visit>
  void with(const Json& object, const std::string& at, const char* name, const Visit& visit) {
    if (object.contains(name)) visit(object[name], at + "/" + name);
  }

  void expect(bool holds, const std::string& at, std::string_view what) const {
    if (holds) return;
    throw UsageError(fmt::format("{}: {} must be {}", file_.string(),
                                 at.empty() ? "the configuration" : "'" + at + "'", what));
  }

  void read_openapi(const Json& openapi, const std::string& at) {
    with(openapi, at, "info",
         [&](const Json& info, const std::string& pointer) { read_info(info, pointer); });
    with(openapi, at, "servers",
         [&](const Json& servers, const std::string& pointer) { read_servers(servers, pointer); });
    with(openapi, at, "guardSecurityMap", [&](const Json& map, const std::string& pointer) {
      expect(map.is_object(), pointer, "an object of strings");
      for (const auto& [middleware, scheme] : map.items()) {
        expect(scheme.is_string(), pointer, "an object of strings");
        options_.guard_security[middleware] = scheme;
      }
    });
    with(openapi, at, "securitySchemes", [&](const Json& schemes, const std::string& pointer) {
      expect(schemes.is_object(), pointer, "an object of security schemes");
      for (const auto& [name, scheme] : schemes.items()) {
        expect(scheme.is_object() && scheme.contains("type"), pointer + "/" + name,
               "a security scheme: an object with a 'type'");
      }
      options_.security_schemes = schemes;
    });
  }

  void read_info(const Json& info, const std::string& at) {
    expect(info.is_object(), at, "an object");
    for (const auto& [name, value] : info.items()) {
      const std::string pointer = at + "/" + name;
      if (name == "license" || name == "contact") {
        expect(value.is_object(), pointer, "an object of strings");
        for (const auto& [key, text] : value.items()) {
          expect(text.is_string(), pointer + "/" + key, "a string");
        }
        if (name == "license") expect(value.contains("name"), pointer, "an object with a 'name'");
      } else {
        expect(value.is_string(), pointer, "a string");
      }
    }
    options_.info = info;
    take_text(options_.info, "title", options_.title);
    take_text(options_.info, "version", options_.version);
    take_text(options_.info, "description", options_.description);
  }

  static void take_text(Json& info, const char* name, std::string& text) {
    if (!info.contains(name)) return;
    text = info[name];
    info.erase(name);
  }

  void read_servers(const Json& servers, const std::string& at) {
    constexpr std::string_view kExpectation =
        "a list of URLs, or of objects {\"url\": string, \"description\": string}";
    expect(servers.is_array(), at, kExpectation);
    for (const Json& server : servers) {
      if (server.is_string()) {
        options_.servers.push_back({.url = server});
        continue;
      }
      expect(server.is_object() && server.contains("url") && server["url"].is_string(), at,
             kExpectation);
      const Json description = server.value("description", Json(""));
      expect(description.is_string(), at, kExpectation);
      options_.servers.push_back({.url = server["url"], .description = description});
    }
  }

  const std::filesystem::path& file_;
  emit::OpenApiOptions& options_;
};

}  // namespace

void apply_app_config(const std::filesystem::path& file, emit::OpenApiOptions& options) {
  ConfigReader(file, options).read();
}

}  // namespace fairway::cli
