#include "rules/settings_rules.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace settings_rules_test {

using fairway::model::Diagnostic;
using fairway::model::Diagnostics;
using fairway::rules::LocaleFile;
using fairway::rules::SettingsFile;

namespace {

/// "config.json:1:2-8: message [id]" for each diagnostic.
std::vector<std::string> lines_of(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& each : diagnostics) {
    const auto& at = each.range;
    lines.push_back(at.line == 0 ? fmt::format("{}: {} [{}]", at.file, each.message, each.id)
                                 : fmt::format("{}:{}:{}-{}: {} [{}]", at.file, at.line, at.column,
                                               at.end_column, each.message, each.id));
  }
  return lines;
}

std::vector<std::string> errors_in(const std::string& text) {
  Diagnostics found;
  fw::Config config;
  fairway::rules::check_configuration({"default.json", text}, {"audit-log", "api/role"}, config,
                                      found);
  return lines_of(found);
}

std::vector<std::string> differences(const std::string& english, const std::string& german,
                                     fw::LocaleConfig config = {}) {
  Diagnostics found;
  const std::vector<LocaleFile> files{{"de", {"de.json", german}},
                                      {"en-US", {"en-US.json", english}}};
  const SettingsFile configuration{"default.json", R"({"locale": {"supported": []}})"};
  fairway::rules::check_locales(files, config, configuration, found);
  return lines_of(found);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("bad configuration: a syntax error has its position and its reason") {
  CHECK(errors_in("{\n  \"port\": 3000\n  \"host\": \"::1\"\n}") ==
        Lines{"default.json:2:15-16: not valid JSON: a ',' is missing [bad-configuration]"});
  CHECK(errors_in("{") ==
        Lines{"default.json:1:2-3: not valid JSON: unexpected end of input; expected string "
              "literal [bad-configuration]"});
  CHECK(errors_in("{\"port\": 1e400}") == Lines{"default.json: not valid JSON: number overflow "
                                                "parsing '1e400' [bad-configuration]"});
  CHECK(errors_in("{\"app\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}") ==
        Lines{"default.json: nested more than 100 levels deep [bad-configuration]"});
  CHECK(errors_in("\xEF\xBB\xBF{\"port\": true}").front().starts_with("default.json:1:"));
  CHECK(errors_in("[]") ==
        Lines{"default.json: a configuration layer must be a JSON object [bad-configuration]"});
}

TEST_CASE("bad configuration: keys, types and ranges are checked as at the start") {
  CHECK(errors_in(R"({"port": 3000, "app": {"anything": [1]}, "etag": "weak"})").empty());
  CHECK(errors_in("{\n  \"ratelimit\": {\"max\": 5},\n  \"logger\": {\"levle\": \"info\"}\n}") ==
        Lines{"default.json:2:3-14: /ratelimit: unknown key; did you mean /rateLimit? "
              "[bad-configuration]",
              "default.json:3:14-21: /logger/levle: unknown key; did you mean /logger/level? "
              "[bad-configuration]"});
  CHECK(errors_in(R"({"port": "80"})") ==
        Lines{"default.json:1:2-8: /port: expected a whole number from 0 to 65535, not \"80\" "
              "[bad-configuration]"});
  CHECK(errors_in(R"({"server": {"maxWorkers": 0}, "session": true})") ==
        Lines{"default.json:1:13-25: /server/maxWorkers: expected a whole number from 1 to "
              "1000000, not 0 [bad-configuration]",
              "default.json:1:31-40: /session: expected an object, not true [bad-configuration]"});
}

TEST_CASE("bad configuration, bad locale file: a key that an object has twice") {
  CHECK(errors_in("{\n  \"port\": 1,\n  \"app\": {\"a\": 1, \"a\": {}}, \"port\": 1\n}") ==
        Lines{"default.json:3:19-22: /app/a: duplicate key; the first one is at line 3, column 11 "
              "[bad-configuration]",
              "default.json:3:29-35: /port: duplicate key; the first one is at line 2, column 3 "
              "[bad-configuration]"});
  CHECK(differences(R"({"a": "A"})", R"({"a": "A", "a": "B"})") ==
        Lines{"de.json:1:12-15: /a: duplicate key; the first one is at line 1, column 2 "
              "[bad-locale-file]"});
}

TEST_CASE("bad configuration: values are checked as at the start") {
  CHECK(
      errors_in(R"({"csrf": {"secret": "short"}, "server": {"maxHeaderSize": 10}})") ==
      Lines{"default.json:1:11-19: /csrf/secret: it must have 32 bytes or more "
            "[bad-configuration]",
            "default.json:1:42-57: /server/maxHeaderSize: expected from 1kb to 16mb, not 10 bytes "
            "[bad-configuration]"});
  CHECK(errors_in(R"({"static": [{"prefix": "files", "root": "."}]})") ==
        Lines{"default.json:1:14-22: /static/0/prefix: 'files' must begin with / and have neither "
              "parameters nor //, ?, # and % [bad-configuration]"});
}

TEST_CASE("bad configuration: middlewares that the program does not have") {
  CHECK(
      errors_in(R"({"middlewares": ["audit-log", {"name": "api/role", "options": {}}]})").empty());
  CHECK(errors_in(R"({"middlewares": ["api/role", "audit-lgo"]})") ==
        Lines{"default.json:1:30-41: /middlewares/1: there is no middleware 'audit-lgo'; did you "
              "mean 'audit-log'? [bad-configuration]"});
  CHECK(errors_in("{\"middlewares\": [\n  {\"name\": \"guard\"}]}") ==
        Lines{"default.json:2:4-10: /middlewares/0/name: there is no middleware 'guard': add "
              "'middlewares/guard.cpp', or, if the program registers it, declare it with "
              "'--middleware guard' [bad-configuration]"});
  // Another error in the list.
  CHECK(errors_in(R"({"middlewares": ["audit-lgo", 1]})").size() == 2);
  CHECK(errors_in(R"({"middlewares": "audit-lgo"})").size() == 1);
}

TEST_CASE("bad configuration, bad locale file: files that cannot be read") {
  const fw::settings::FileError error{std::nullopt, "cannot be read: it is a directory"};
  Diagnostics found;
  fw::Config config;
  fairway::rules::check_configuration({"default.json", "", error}, {}, config, found);
  fairway::rules::check_locales({{"de", {"de.json", "", error}}}, {.supported = {"de"}},
                                {"default.json", "{}"}, found);
  CHECK(lines_of(found) ==
        Lines{"default.json: cannot be read: it is a directory [bad-configuration]",
              "de.json: cannot be read: it is a directory [bad-locale-file]"});
}

TEST_CASE("broken profile: the first error of a file that looks like a profile") {
  const auto lint = [](const std::string& text) {
    Diagnostics found;
    fw::Config config;
    fairway::rules::lint_broken_profile({"staging.json", text}, "staging", {"audit-log"}, config,
                                        found);
    return lines_of(found);
  };
  const std::string begin = ": the program does not start with '--config staging': ";
  CHECK(lint(R"({"port": 80, "ratelimit": {}, "etag": 1})") ==
        Lines{"staging.json:1:14-25" + begin +
              "/ratelimit: unknown key; did you mean /rateLimit? [broken-profile]"});
  CHECK(lint("{\"port\" 80}") ==
        Lines{"staging.json:1:9-10" + begin +
              "not valid JSON: unexpected number literal; expected ':' [broken-profile]"});
  CHECK(lint(R"({"middlewares": ["audit-log"]})").empty());
  CHECK(lint(R"({"middlewares": ["audit-lgo"]})") ==
        Lines{"staging.json:1:18-29" + begin +
              "/middlewares/0: there is no middleware 'audit-lgo'; did you mean 'audit-log'? "
              "[broken-profile]"});
  CHECK(lint(R"({"port": 80})").empty());
  CHECK(lint(R"({"EUR": 1.1, "USD": 1})").empty());
  CHECK(lint(R"([{"port": true}])").empty());
}

TEST_CASE("bad locale file: broken files and entries, and files that are missing") {
  CHECK(differences("{\"a\": \"b\",\n \"c\" \"d\"}", "{}") ==
        Lines{"en-US.json:2:6-9: not valid JSON: unexpected string literal; expected ':' "
              "[bad-locale-file]"});
  CHECK(differences("[]", R"({"a": {"status": 200}})") ==
        Lines{"de.json:1:2-5: \"a\" must be a string, or an object of code (string or number), "
              "message (string) and status (400 to 599) [bad-locale-file]",
              "en-US.json: a locale file must contain one JSON object [bad-locale-file]"});
  CHECK(differences("{}", "{}", {.supported = {"de", "fr"}}) ==
        Lines{"default.json:1:13-24: locale.supported names 'fr', but there is no file "
              "locales/fr.json [bad-locale-file]"});
  CHECK(differences("{}", "[]", {.supported = {"en-US"}}).empty());
}

TEST_CASE("locale differs: messages and placeholders of the default language") {
  CHECK(differences(R"({"a": "{{x}} of {{ y }}", "b": "B"})",
                    R"({"b": "B", "a": "{{y}}: {{x}}, {{x}}", "c": "{{z}}"})")
            .empty());
  CHECK(differences(R"({"a": {"message": "{{id}}", "status": 404}, "b": "{{x}}{{y}}", "c": "C"})",
                    "{\n \"a\": \"{{name}}\",\n \"b\": \"B\",\n \"c\": \"{{x}}\"}") ==
        Lines{"de.json:2:2-5: the placeholders of 'a' are {{name}}, but {{id}} in 'en-US' "
              "[locale-differs]",
              "de.json:3:2-5: the placeholders of 'b' are none, but {{x}} and {{y}} in 'en-US' "
              "[locale-differs]",
              "de.json:4:2-5: the placeholders of 'c' are {{x}}, but none in 'en-US' "
              "[locale-differs]"});
  CHECK(differences(R"({"a": "", "b": "", "c": "", "d": "", "e": "", "f": "", "g": ""})",
                    R"({"g": ""})") ==
        Lines{"de.json: 'de' lacks 6 messages of 'en-US': 'a', 'b', 'c', 'd', 'e' and 1 more "
              "[locale-differs]"});
  CHECK(differences(R"({"a": "A"})", "{}") ==
        Lines{"de.json: 'de' lacks 1 message of 'en-US': 'a' [locale-differs]"});
  // A file may begin with a byte order mark.
  const Lines marked = differences(R"({"a": "{{x}}"})", "\xEF\xBB\xBF{\"a\": \"A\"}");
  REQUIRE(marked.size() == 1);
  CHECK(marked.front().starts_with("de.json:1:"));
  std::string many = "{";
  for (int i = 0; i < 30; ++i) many += fmt::format("\"m{}\": \"{{{{x}}}}\",", i);
  many.back() = '}';
  std::string none = many;
  for (std::size_t at; (at = none.find("{{x}}")) != std::string::npos;) none.erase(at, 5);
  CHECK(differences(many, none).size() == 20);
  // Without a file of the default language, there is nothing to compare with.
  CHECK(differences(R"({"a": "A"})", "{}", {.default_language = "fr"}).empty());
}

}  // namespace settings_rules_test
