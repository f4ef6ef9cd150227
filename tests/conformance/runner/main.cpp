// Runs conformance cases: conformance --cases DIR [--area NAME] [--json FILE]
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sys/wait.h>

#include "group.hpp"
#include "placeholders.hpp"
#include "refused_group.hpp"
#include "run_case.hpp"
#include "running_group.hpp"

namespace conformance {
namespace {

struct Options {
  std::filesystem::path cases;
  std::string area;
  std::filesystem::path report;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int index = 1; index < argc; index += 2) {
    const std::string name = argv[index];
    if (index + 1 >= argc || (name != "--cases" && name != "--area" && name != "--json")) {
      std::cerr << "usage: conformance --cases DIR [--area NAME] [--json FILE]\n";
      std::exit(2);
    }
    const std::string value = argv[index + 1];
    if (name == "--cases") options.cases = value;
    if (name == "--area") options.area = value;
    if (name == "--json") options.report = value;
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
  std::vector<std::string> faults;
};

class Run {
 public:
  void area(const Json& file) {
    area_ = file.at("area");
    if (area_ == "operation-id") {
      const auto cases = file.at("cases").get<std::vector<Json>>();
      auto faults = check_operation_ids(cases);
      for (std::size_t index = 0; index < cases.size(); ++index) {
        add(cases[index], std::move(faults[index]));
      }
      return;
    }
    std::map<std::string, std::vector<Json>> by_group;
    for (const Json& each : file.at("cases")) by_group[each.at("group")].push_back(each);
    for (const auto& [name, cases] : by_group) group(name, file.at("groups").at(name), cases);
  }

  int finish(const std::filesystem::path& report) const {
    std::map<std::string, int> count;
    Json list = Json::array();
    for (const Result& result : results_) {
      ++count[result.outcome];
      list.push_back({{"id", result.id}, {"outcome", result.outcome}, {"faults", result.faults}});
    }
    if (!report.empty()) std::ofstream(report) << list.dump(2) << '\n';
    for (const std::string& name : without_application_) {
      std::cout << "no application: " << name << '\n';
    }
    std::cout << count["passed"] << " passed, " << count["failed"] << " failed, "
              << count["skipped"] << " skipped\n";
    return count["failed"] == 0 ? 0 : 1;
  }

 private:
  void add(const Json& test_case, std::vector<std::string> faults) {
    const std::string id = test_case.at("id");
    if (!faults.empty()) {
      std::cout << id << " (" << test_case.value("title", "") << ")\n";
      for (const std::string& fault : faults) std::cout << "  " << fault << '\n';
    }
    results_.push_back({id, faults.empty() ? "passed" : "failed", std::move(faults)});
  }

  void skip(const std::string& name, const std::vector<Json>& cases) {
    without_application_.insert(area_ + "/" + name);
    for (const Json& each : cases) results_.push_back({each.at("id"), "skipped", {}});
  }

  void group(const std::string& name, const Json& description, const std::vector<Json>& cases) {
    const fw::Json config = fw::Json::parse(description.value("config", Json::object()).dump());
    for (const RefusedGroup& refused : refused_groups()) {
      if (refused.area != area_ || refused.name != name) continue;
      for (const Json& each : cases) add(each, check_refused(refused, config, each.at("expect")));
      return;
    }
    for (const Group& candidate : groups()) {
      if (candidate.area == area_ && candidate.name == name) {
        running(candidate, description, config, cases);
        return;
      }
    }
    skip(name, cases);
  }

  /// Cases about routes that the application leaves out, and about CORS, which no application has.
  static bool leaves_out(const Group& group, const Json& description, const Json& test_case) {
    const Json headers = test_case.value("expect", Json::object()).value("headers", Json::object());
    for (const auto& [name, value] : headers.items()) {
      if (name.starts_with("Access-Control-")) return true;
    }
    if (!test_case.contains("route")) return false;
    const Json& route = description.at("routes").at(test_case.at("route").get<std::size_t>());
    const auto& left_out = group.without;
    return std::find(left_out.begin(), left_out.end(), route.at("path").get<std::string>()) !=
           left_out.end();
  }

  /// Without the keys of features that the applications' routes leave out.
  static fw::Json supported(fw::Json config) {
    config.erase("fetch");
    return config;
  }

  void running(const Group& group, const Json& description, const fw::Json& config,
               const std::vector<Json>& cases) {
    RunningGroup application(group, supported(config));
    Memory memory;
    for (const Json& each : cases) {
      if (leaves_out(group, description, each)) {
        results_.push_back({each.at("id"), "skipped", {}});
      } else if (each.contains("dsl")) {
        const std::string path =
            description.at("routes").at(each.at("route").get<std::size_t>()).at("path");
        add(each, run_case(expanded(each, path), application, memory));
      } else {
        add(each, run_case(each, application, memory));
      }
    }
  }

  std::string area_;
  std::vector<Result> results_;
  std::set<std::string> without_application_;
};

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  const auto options = conformance::parse_options(argc, argv);
  conformance::Run run;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.cases)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  for (const auto& path : files) {
    std::ifstream stream(path);
    const auto file = conformance::Json::parse(stream);
    if (!file.contains("area") || !file.contains("cases")) continue;
    if (options.area.empty() || file.at("area") == options.area) run.area(file);
  }
  return run.finish(options.report);
}
