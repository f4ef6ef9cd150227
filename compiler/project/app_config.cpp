#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/json_position.hpp"
#include "command/option_group.hpp"
#include "files/data_file.hpp"
#include "files/whole_file.hpp"
#include "project/settings.hpp"

namespace fairway::project {
namespace {

using model::Json;

bool is_string(const Json& value) { return value.is_string(); }

class ConfigReader {
 public:
  ConfigReader(const std::filesystem::path& file, model::OpenApiOptions& options)
      : file_(file), options_(options) {}

  /// Returns the locale files, too.
  std::vector<std::filesystem::path> read() {
    const auto text = files::read_file(file_);
    if (!text)
      throw command::UsageError(fmt::format("--app-config: cannot read '{}'", file_.string()));
    const Json root = files::read_data(file_.string(), *text);
    refuse_duplicates(*text);
    expect(root.is_object(), "", "an object");
    model::AppSettings& settings = options_.settings;
    settings.is_known = true;
    settings.file = file_.string();
    section(root, "response", [&](const Json& response, const std::string& at) {
      read_flag(response, at, "wrap", options_.envelope);
    });
    section(root, "session", [&](const Json& session, const std::string& at) {
      read_flag(session, at, "enabled", settings.has_sessions);
      read_string(session, at, "name", settings.session_cookie);
      if (settings.has_sessions) note_secure_cookie(session, at, settings);
    });
    section(root, "csrf", [&](const Json& csrf, const std::string& at) {
      read_csrf(csrf, at, settings);
      if (settings.checks_csrf) note_secure_cookie(csrf, at, settings);
    });
    section(root, "securityHeaders", [&](const Json& headers, const std::string& at) {
      bool is_enabled = false;
      read_flag(headers, at, "enabled", is_enabled);
      const Json hsts = headers.value("hsts", Json());
      if (is_enabled && (hsts == true || hsts.is_object())) {
        settings.https_settings.push_back({at + "/hsts", "in cleartext, the field is never sent"});
      }
    });
    settings.has_https = has_https(root) || other_file_has_https();
    section(root, "rateLimit", [&](const Json& limit, const std::string& at) {
      read_flag(limit, at, "enabled", settings.limits_rate);
    });
    section(root, "multipart", [&](const Json& multipart, const std::string& at) {
      read_flag(multipart, at, "enabled", settings.parses_forms);
      read_flag(multipart, at, "fields", settings.keeps_fields);
    });
    section(root, "cache", [&](const Json& cache, const std::string& at) {
      read_flag(cache, at, "enabled", settings.caches);
      with(cache, at, "defaultTtl", [&](const Json& ttl, const std::string& pointer) {
        expect(ttl.is_number(), pointer, "a number of milliseconds");
        settings.default_ttl = ttl;
      });
    });
    with(root, "", "etag", [&](const Json& etag, const std::string& at) {
      expect(etag == "off" || etag == "weak" || etag == "strong", at,
             R"("off", "weak" or "strong")");
      settings.has_entity_tags = etag != "off";
    });
    section(root, "openapi",
            [&](const Json& openapi, const std::string& at) { read_openapi(openapi, at); });
    std::vector<std::filesystem::path> files = read_locale_files(locale_of(root), settings);
    files.push_back(file_);
    return files;
  }

 private:
  /// Calls `visit` with a member and its JSON pointer, if the member exists.
  template <class Visit>
  void with(const Json& object, const std::string& at, const char* name, const Visit& visit) {
    if (object.contains(name)) visit(object[name], at + "/" + name);
  }

  /// As the program does when it starts. Those in YAML are errors already.
  void refuse_duplicates(const std::string& text) const {
    if (file_.extension() != ".json") return;
    for (const fw::base::DuplicateName& each : fw::base::duplicate_names(text)) {
      throw command::UsageError(
          fmt::format("{}:{}:{}: '{}': duplicate key; the first one is at line {}, column {}",
                      file_.string(), each.position.line, each.position.column, each.pointer,
                      each.first.line, each.first.column));
    }
  }

  void expect(bool is_valid, const std::string& at, std::string_view what) const {
    if (is_valid) return;
    throw command::UsageError(fmt::format("{}: {} must be {}", file_.string(),
                                          at.empty() ? "the configuration" : "'" + at + "'", what));
  }

  /// Calls `visit` with an object at the top of the configuration, if there is one.
  template <class Visit>
  void section(const Json& root, const char* name, const Visit& visit) {
    with(root, "", name, [&](const Json& object, const std::string& at) {
      expect(object.is_object(), at, "an object");
      visit(object, at);
    });
  }

  void read_flag(const Json& object, const std::string& at, const char* name, bool& flag) {
    with(object, at, name, [&](const Json& value, const std::string& pointer) {
      expect(value.is_boolean(), pointer, "true or false");
      flag = value;
    });
  }

  void read_string(const Json& object, const std::string& at, const char* name, std::string& text) {
    with(object, at, name, [&](const Json& value, const std::string& pointer) {
      expect(value.is_string(), pointer, "a string");
      text = value;
    });
  }

  fw::LocaleConfig locale_of(const Json& root) {
    fw::LocaleConfig settings;
    section(root, "locale", [&](const Json& locale, const std::string& at) {
      read_string(locale, at, "directory", settings.directory);
      read_string(locale, at, "default", settings.default_language);
      with(locale, at, "supported", [&](const Json& values, const std::string& pointer) {
        expect(values.is_array() && std::ranges::all_of(values, is_string), pointer,
               "a list of strings");
        settings.supported = values.get<std::vector<std::string>>();
      });
    });
    settings.directory = (working_directory_of(file_) / settings.directory).string();
    return settings;
  }

  static void note_secure_cookie(const Json& section, const std::string& at,
                                 model::AppSettings& settings) {
    const Json cookie = section.value("cookie", Json());
    if (!cookie.is_object() || cookie.value("secure", Json()) != true) return;
    settings.https_settings.push_back(
        {at + "/cookie/secure", "in cleartext, browsers do not return the cookie"});
  }

  static bool has_https(const Json& root) {
    if (!root.is_object()) return false;
    const Json server = root.value("server", Json());
    const bool has_tls = server.is_object() && server.contains("tls");
    const Json proxies = root.value("trustProxy", Json(false));
    return has_tls || (proxies != false && proxies != Json::array());
  }

  /// The layer of a profile is a file of the same directory.
  bool other_file_has_https() const {
    const std::filesystem::path folder = std::filesystem::absolute(file_).parent_path();
    if (folder.filename() != "config") return false;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".json" && extension != ".yaml" && extension != ".yml") continue;
      const auto text = files::read_file(entry.path());
      try {
        if (text && has_https(files::read_data(entry.path().string(), *text))) return true;
      } catch (const files::BadData&) {
        // Errors in a file that was not given are reported when the application starts.
      }
    }
    return false;
  }

  void read_csrf(const Json& csrf, const std::string& at, model::AppSettings& settings) {
    read_flag(csrf, at, "enabled", settings.checks_csrf);
    const auto list = [&](const char* name, const auto& take) {
      with(csrf, at, name, [&](const Json& values, const std::string& pointer) {
        const bool are_strings = values.is_array() && std::ranges::all_of(values, is_string);
        expect(are_strings, pointer, "a list of strings");
        take(values.get<std::vector<std::string>>());
      });
    };
    list("methods", [&](std::vector<std::string> methods) { settings.csrf_methods = methods; });
    list("headers", [&](const std::vector<std::string>& headers) {
      if (!headers.empty()) settings.csrf_header = headers.front();
    });
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
    with(openapi, at, "authScheme", [&](const Json& schemes, const std::string& pointer) {
      const Json list = schemes.is_string() ? Json::array({schemes}) : schemes;
      const auto is_text = [](const Json& name) { return name.is_string(); };
      expect(list.is_array() && !list.empty() && std::all_of(list.begin(), list.end(), is_text),
             pointer, "a string, or a list of strings that is not empty");
      options_.auth_schemes = list.get<std::vector<std::string>>();
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
  model::OpenApiOptions& options_;
};

}  // namespace

std::filesystem::path working_directory_of(const std::filesystem::path& app_config) {
  const std::filesystem::path folder = std::filesystem::absolute(app_config).parent_path();
  return folder.filename() == "config" ? folder.parent_path() : folder;
}

std::vector<std::filesystem::path> apply_app_config(const std::filesystem::path& file,
                                                    model::OpenApiOptions& options) {
  return ConfigReader(file, options).read();
}

}  // namespace fairway::project
