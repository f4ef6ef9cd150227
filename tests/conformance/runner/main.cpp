// Runs conformance cases:
// conformance [--cases DIR] [--area NAME] [--engine NAME] [--redis] [--no-typed-path]
//             [--at-least N] [--json FILE]
// By default all cases of the project, on the default engine of HTTP, with state in memory; with
// --redis, in a redis-server that is started for it. Fails when a case fails, and when fewer cases
// than N, or none, were run.
// conformance --applications [--cases DIR] runs none, and fails when a group or a route has no
// application although groups.cpp does not leave it out.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "eventually.hpp"
#include "group.hpp"
#include "missing_applications.hpp"
#include "openapi_facts.hpp"
#include "placeholders.hpp"
#include "redis_server.hpp"
#include "rejected_group.hpp"
#include "run_case.hpp"
#include "running_group.hpp"
#include "upstream.hpp"

namespace conformance {
namespace {

struct Options {
  std::filesystem::path cases = CONFORMANCE_DIR "/cases";
  std::string area;
  std::string engine = "auto";  ///< `server.engine` of the applications
  bool redis = false;
  bool typed_path = true;
  int at_least = 1;
  std::filesystem::path report;
  bool applications = false;
};

[[noreturn]] void end_with_usage() {
  std::cerr << "usage: conformance [--cases DIR] [--area NAME] [--engine NAME] [--redis] "
               "[--no-typed-path] [--at-least N] [--json FILE] [--applications]\n";
  std::exit(2);
}

int positive_number(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) end_with_usage();
  return number;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int index = 1; index < argc; ++index) {
    const std::string name = argv[index];
    if (name == "--applications") {
      options.applications = true;
      continue;
    }
    if (name == "--redis") {
      options.redis = true;
      continue;
    }
    if (name == "--no-typed-path") {
      options.typed_path = false;
      continue;
    }
    if (++index == argc) end_with_usage();
    const std::string value = argv[index];
    if (name == "--cases") {
      options.cases = value;
    } else if (name == "--area") {
      options.area = value;
    } else if (name == "--engine") {
      options.engine = value;
    } else if (name == "--at-least") {
      options.at_least = positive_number(value);
    } else if (name == "--json") {
      options.report = value;
    } else {
      end_with_usage();
    }
  }
  if (!std::filesystem::is_directory(options.cases)) {
    std::cerr << "conformance: no directory of cases: '" << options.cases.string() << "'\n";
    std::exit(2);
  }
  return options;
}

struct Result {
  std::string id;
  std::string outcome;  ///< "passed", "failed" or "skipped"
  std::vector<std::string> failures;
};

class Run {
 public:
  explicit Run(const Options& options) : engine_(options.engine), typed_path_(options.typed_path) {
    if (options.redis) redis_.emplace();
  }

  void area(const Json& file) {
    area_ = file.at("area");
    if (area_ == "operation-id") {
      const auto cases = file.at("cases").get<std::vector<Json>>();
      auto failures = check_operation_ids(cases);
      for (std::size_t index = 0; index < cases.size(); ++index) {
        add(cases[index], std::move(failures[index]));
      }
      return;
    }
    std::map<std::string, std::vector<Json>> by_group;
    for (const Json& each : file.at("cases")) by_group[each.at("group")].push_back(each);
    for (const auto& [name, cases] : by_group) group(name, file.at("groups").at(name), cases);
    for (const auto& [name, description] : file.at("groups").items()) {
      if (!by_group.contains(name)) start(name, description);
    }
  }

  int finish(const Options& options) const {
    std::map<std::string, int> count;
    Json list = Json::array();
    for (const Result& result : results_) {
      ++count[result.outcome];
      list.push_back(
          {{"id", result.id}, {"outcome", result.outcome}, {"failures", result.failures}});
    }
    if (!options.report.empty()) std::ofstream(options.report) << list.dump(2) << '\n';
    for (const std::string& name : without_application_) {
      std::cout << "no application: " << name << '\n';
    }
    std::cout << count["passed"] << " passed, " << count["failed"] << " failed, "
              << count["skipped"] << " skipped\n";
    if (count["passed"] + count["failed"] < options.at_least) {
      std::cout << "fewer cases were run than " << options.at_least << '\n';
      return 1;
    }
    return count["failed"] == 0 ? 0 : 1;
  }

 private:
  void add(const Json& test_case, std::vector<std::string> failures) {
    const std::string id = test_case.at("id");
    if (!failures.empty()) {
      std::cout << id << " (" << test_case.value("title", "") << ")\n";
      for (const std::string& failure : failures) std::cout << "  " << failure << '\n';
    }
    results_.push_back({id, failures.empty() ? "passed" : "failed", std::move(failures)});
  }

  void skip(const std::string& name, const std::vector<Json>& cases) {
    without_application_.insert(area_ + "/" + name);
    for (const Json& each : cases) results_.push_back({each.at("id"), "skipped", {}});
  }

  void group(const std::string& name, const Json& description, const std::vector<Json>& cases) {
    const fw::Json config = config_of(description);
    const Group* application = find_group(area_, name);
    if (application == nullptr) return skip(name, cases);
    if (application->table != nullptr && starts(cases.front())) {
      return running(*application, description, config, cases);
    }
    for (const Json& each : cases) {
      add(each, check_rejected(*application, config, each.at("expect")));
    }
  }

  /// The application of a group without a case must at least come up; it is counted when it does
  /// not.
  void start(const std::string& name, const Json& description) {
    const Group* group = find_group(area_, name);
    const bool is_rejected_by_the_build = group != nullptr && group->table == nullptr;
    if (group == nullptr || is_rejected_by_the_build) return;
    try {
      const Upstream upstream;
      const RunningGroup application(*group, supported(config_of(description), upstream.url()));
    } catch (const std::exception& error) {
      add({{"id", area_ + "/" + name}, {"title", "the application starts"}}, {error.what()});
    }
  }

  static fw::Json config_of(const Json& description) {
    return fw::Json::parse(description.value("config", Json::object()).dump());
  }

  static bool starts(const Json& test_case) {
    return test_case.value("expect", Json::object()).value("starts", true);
  }

  /// With the engine, the store, and the address of the upstream.
  fw::Json supported(const fw::Json& group_config, const std::string& upstream) {
    Memory memory;
    memory.remembered["up"] = upstream;
    fw::Json config = fw::Json::parse(substituted(group_config.dump(), memory));
    config["app"]["up"] = upstream;
    config["server"]["engine"] = engine_;
    config["typedPath"] = typed_path_;
    if (redis_) {
      const std::string prefix = "group" + std::to_string(++applications_) + ":";
      config["store"] = {
          {"type", "redis"}, {"url", redis_->url()}, {"keyPrefix", prefix}, {"timeout", 60'000}};
    }
    return config;
  }

  /// Groups with cases in which one thing happens milliseconds before or after another one, or less
  /// than a second passes between two requests. On a busy machine, it may not.
  bool depends_on_time(const std::string& name) const {
    static const std::set<std::string> areas = {"cache", "rate-limit", "timeout"};
    static const std::set<std::string> groups = {"access-log/slow", "fetch/client", "proxy/all"};
    return areas.contains(area_) || groups.contains(area_ + "/" + name);
  }

  void running(const Group& group, const Json& description, const fw::Json& config,
               const std::vector<Json>& cases) {
    std::vector<std::vector<std::string>> failures;
    const auto all_pass = [&] {
      failures = failures_of(group, description, config, cases);
      return std::ranges::all_of(failures, [](const auto& each) { return each.empty(); });
    };
    bool have_passed = all_pass();
    // A log that lacks a line takes a minute each time, so that there would be one attempt.
    for (int attempt = 0; !have_passed && attempt < 5 && depends_on_time(group.name); ++attempt) {
      have_passed = fairway::test::eventually(all_pass);
    }
    for (std::size_t i = 0; i < cases.size(); ++i) add(cases[i], std::move(failures[i]));
  }

  /// Of each case, on a new application.
  std::vector<std::vector<std::string>> failures_of(const Group& group, const Json& description,
                                                    const fw::Json& config,
                                                    const std::vector<Json>& cases) {
    const Upstream upstream;
    RunningGroup application(group, supported(config, upstream.url()));
    Memory memory;
    memory.session_cookie =
        config.value("session", fw::Json::object()).value("name", memory.session_cookie);
    memory.remembered["up"] = upstream.url();
    std::vector<std::vector<std::string>> failures;
    for (const Json& each : cases) {
      if (each.value("expect", Json::object()).contains("operation")) {
        const Json& route = description.at("routes").at(each.at("route").get<std::size_t>());
        failures.push_back(fairway::test::missing_operation_facts(
            Json::parse(group.table().openapi), route.at("method"), route.at("path"),
            each.at("expect").at("operation")));
      } else if (each.contains("dsl")) {
        const std::string path =
            description.at("routes").at(each.at("route").get<std::size_t>()).at("path");
        failures.push_back(run_case(expanded(each, path), application, memory));
      } else {
        failures.push_back(run_case(each, application, memory));
      }
    }
    return failures;
  }

  const std::string engine_;
  const bool typed_path_;
  std::optional<fairway::test::RedisServer> redis_;
  int applications_ = 0;
  std::string area_;
  std::vector<Result> results_;
  std::set<std::string> without_application_;
};

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  const auto options = conformance::parse_options(argc, argv);
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.cases)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  std::vector<conformance::Json> areas;
  for (const auto& path : files) {
    std::ifstream stream(path);
    auto file = conformance::Json::parse(stream);
    if (!file.contains("area") || !file.contains("cases")) continue;
    if (options.area.empty() || file.at("area") == options.area) areas.push_back(std::move(file));
  }
  if (options.applications) {
    const auto missing = conformance::missing_applications(areas);
    for (const std::string& name : missing) std::cout << "no application: " << name << '\n';
    return missing.empty() ? 0 : 1;
  }
  conformance::Run run(options);
  for (const auto& file : areas) run.area(file);
  return run.finish(options);
}
