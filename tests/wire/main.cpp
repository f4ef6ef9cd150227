// Runs sets of wire cases. Usage: wire_cases SERVER [--engine NAME] [--httplib FILE] [--page FILE]
// SET... SERVER is the program to start, or the port of one that runs. FILE of --httplib names the
// cases that fail with that engine ("set: case", one per line), and no others; the page says how
// many.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "eventually.hpp"
#include "result_page.hpp"
#include "support/server_process.hpp"

namespace {

struct Options {
  std::string program;
  std::string engine = "auto";
  std::string page;
  std::set<std::string> httplib_differs;
  std::vector<std::string> sets;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  options.program = arguments.at(0);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--engine") {
      options.engine = arguments.at(++i);
    } else if (arguments[i] == "--page") {
      options.page = arguments.at(++i);
    } else if (arguments[i] == "--httplib") {
      std::ifstream file(arguments.at(++i));
      if (!file) throw std::runtime_error(arguments[i] + ": cannot be read");
      for (std::string line; std::getline(file, line);) options.httplib_differs.insert(line);
    } else {
      options.sets.push_back(arguments[i]);
    }
  }
  return options;
}

/// httplib waits for the rest of some requests that other engines reject: not for long. Otherwise,
/// a connection stays open while its client is not scheduled for some seconds.
std::string config_of(const Options& options) {
  if (options.engine != "httplib") {
    return R"({"server": {"keepAliveTimeout": 10000, "engine": ")" + options.engine + "\"}}";
  }
  return R"({"server": {"engine": "httplib", "headersTimeout": 1000, "requestTimeout": 1000,
                        "keepAliveTimeout": 1000}})";
}

using Clock = std::chrono::steady_clock;

/// Whether a case that has failed, in this time, may have done so because its client was late.
using MayBeLate = std::function<bool(const wire::Case&, Clock::duration taken)>;

/// Of each case. Most of their time is waiting, so that several run at once. Those whose clients
/// may have been late are repeated for a minute.
std::vector<wire::CaseResult> run_cases(std::uint16_t port, const std::vector<wire::Case>& cases,
                                        const MayBeLate& may_be_late) {
  constexpr int kAtOnce = 8;
  std::vector<wire::CaseResult> results(cases.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<void>> runs;
  for (int i = 0; i < kAtOnce; ++i) {
    runs.push_back(std::async(std::launch::async, [&] {
      for (std::size_t at = 0; (at = next++) < cases.size();) {
        const auto until = Clock::now() + fairway::test::kPatience;
        auto begin = Clock::now();
        do {
          begin = Clock::now();
          results[at] = wire::run_case(port, cases[at]);
        } while (!results[at].failures.empty() && may_be_late(cases[at], Clock::now() - begin) &&
                 Clock::now() < until);
      }
    }));
  }
  for (auto& each : runs) each.get();
  return results;
}

int run(const Options& options) {
  std::vector<wire::SetResult> results;
  const bool runs = options.program.find_first_not_of("0123456789") == std::string::npos;
  const auto server =
      runs ? nullptr
           : std::make_unique<wire::ServerProcess>(
                 options.program,
                 wire::ServerProcess::Options{.config = config_of(options), .max_descriptors = 0});
  const auto port = runs ? static_cast<std::uint16_t>(std::stoi(options.program)) : server->port();
  int failures = 0;
  for (const std::string& file : options.sets) {
    auto& result = results.emplace_back();
    result.set = wire::read_cases(file);
    // A client that is not scheduled for a second meets the time limits that httplib has here; for
    // two seconds, the end of a connection that has got an error.
    const auto may_be_late = [&](const wire::Case& each, Clock::duration taken) {
      const bool is_httplib = options.engine == "httplib";
      const std::string name = result.set.title + ": " + each.name;
      if (is_httplib && options.httplib_differs.contains(name)) return false;
      return is_httplib || taken > std::chrono::seconds(2);
    };
    result.results = run_cases(port, result.set.cases, may_be_late);
    std::size_t passed = 0;
    for (std::size_t at = 0; at < result.results.size(); ++at) {
      const std::string name = result.set.title + ": " + result.set.cases[at].name;
      const bool httplib_differs = options.httplib_differs.contains(name);
      if (!httplib_differs) ++result.passed_by_httplib;
      const auto& outcome = result.results[at];
      if (outcome.failures.empty()) ++passed;
      if (httplib_differs && options.engine == "httplib") {
        if (!outcome.failures.empty()) continue;
        std::cerr << name << ": passes: remove it from the list of what httplib does otherwise\n";
        ++failures;
      }
      for (const auto& failure : outcome.failures) {
        std::cerr << name << ": " << failure << "\n";
        ++failures;
      }
    }
    std::cout << result.set.title << ": " << result.set.cases.size() << " cases, " << passed
              << " passed\n";
    if (result.set.cases.empty()) throw std::runtime_error(file + ": no cases");
  }
  if (!options.page.empty()) {
    std::ofstream(options.page, std::ios::binary) << wire::result_page(results);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: wire_cases SERVER [--engine NAME] [--httplib FILE] [--page FILE] SET...\n";
    return 2;
  }
  try {
    return run(parse({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cerr << "wire_cases: " << error.what() << "\n";
    return 2;
  }
}
