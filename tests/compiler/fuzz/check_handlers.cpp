// Reads route files of random_handlers and compares what is reported with what must be: each wrong
// response is a response-mismatch on its line, and nothing else is reported. What handlers with
// loops, lambdas and the like send is compared with what they send when they run. Sources of errors
// are kept.
//
//   check_handlers [--handlers 500] [--seed 1] [--keep DIR] [-- FLAGS]
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "emit/application_files.hpp"
#include "files/input.hpp"
#include "frontend/invocation/shared_header.hpp"
#include "frontend/parse.hpp"
#include "fuzz_options.hpp"
#include "model/type_rules.hpp"
#include "random_handlers.hpp"
#include "rules/check.hpp"
#include "temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;
using namespace fairway;

constexpr unsigned kHandlersOfFile = 25;

struct Settings {
  unsigned handlers = 500;
  std::uint64_t seed = 1;
  fs::path keep = "handler-failures";
  std::vector<std::string> flags = {"-std=c++20", "-I" FAIRWAY_INCLUDE_DIR};
};

Settings settings_of(const std::vector<std::string>& words) {
  Settings settings;
  fuzz::read_options(words,
                     {{"--handlers", fuzz::into(settings.handlers)},
                      {"--seed", fuzz::into(settings.seed)},
                      {"--keep", [&](const std::string& value) { settings.keep = value; }}},
                     settings.flags);
  return settings;
}

/// What is wrong with the diagnostics of a file; empty: nothing.
std::string failures_of(const std::vector<model::Diagnostic>& diagnostics,
                        const fuzz::RandomHandlers& handlers) {
  std::map<unsigned, std::string> reported;
  std::string failures;
  for (const model::Diagnostic& each : diagnostics) {
    if (each.id == model::rules::response_mismatch.id) {
      reported.emplace(each.range.line, each.message);
    } else {
      failures += fmt::format("  line {}: {}: {}\n", each.range.line, each.id, each.message);
    }
  }
  for (const unsigned line : handlers.wrong_lines) {
    if (reported.erase(line) == 0) failures += fmt::format("  line {}: not reported\n", line);
  }
  for (const auto& [line, message] : reported) {
    failures += fmt::format("  line {}: reported: {}\n", line, message);
  }
  return failures;
}

/// What is wrong with what the file says of the flows; empty: nothing.
std::string failures_of(const model::ParsedFile& file, const fuzz::RandomHandlers& handlers) {
  const auto text_of = [](const fuzz::SentBodies& sent) {
    std::string text;
    for (const auto& [status, type, media_type] : sent) {
      text += fmt::format(" {} {} {}", status, type, media_type);
    }
    return text;
  };
  std::string failures;
  for (const model::Registration& registration : file.registrations) {
    const auto flow = handlers.flows.find(registration.path);
    if (flow == handlers.flows.end()) continue;
    const model::HandlerUse& handler = registration.handler;
    fuzz::SentBodies found;
    bool has_unknown = handler.sends_others;
    for (const model::SentResponse& sent : handler.sent) {
      has_unknown = has_unknown || sent.statuses.empty();
      for (const int status : sent.statuses) {
        found.emplace(status, sent.type.name.substr(2), sent.media_type);
      }
    }
    const fuzz::SentBodies& wanted = flow->second.sent;
    const bool is_right = flow->second.is_exact
                              ? found == wanted && !has_unknown
                              : has_unknown || std::ranges::includes(found, wanted);
    if (is_right) continue;
    failures += fmt::format("  line {}: sends{}{} instead of{}\n", registration.method_range.line,
                            text_of(found), has_unknown ? " and others" : "", text_of(wanted));
  }
  return failures;
}

int run(const Settings& settings) {
  std::mt19937_64 random(settings.seed);
  const test::TemporaryDirectory workshop;
  files::InputChecker checker;
  frontend::SharedHeaders headers(workshop.path() / "headers", checker);
  unsigned right = 0;
  unsigned wrong = 0;
  unsigned failed = 0;
  std::size_t flows = 0;
  for (unsigned count = 0; count < settings.handlers; count += kHandlersOfFile) {
    const fuzz::RandomHandlers handlers =
        fuzz::random_handlers(std::min(kHandlersOfFile, settings.handlers - count), random);
    const test::TemporaryDirectory directory;
    directory.write("routes/index.cpp", handlers.text);
    const frontend::ParseJob job{.source_dir = directory.path().string(),
                                 .path = "routes/index.cpp",
                                 .flags = frontend::fixed_flags(settings.flags, "")->flags_for("")};
    const auto file = frontend::parse_file(job, &headers).file;
    const auto resolution = rules::check(
        {file}, {.name = "", .source_name = "src", .middlewares = {}}, emit::generated_code());
    right += handlers.right;
    wrong += handlers.wrong;
    flows += handlers.flows.size();
    const std::string failures =
        failures_of(resolution.diagnostics, handlers) + failures_of(file, handlers);
    if (failures.empty()) continue;
    ++failed;
    fs::create_directories(settings.keep);
    const fs::path kept = settings.keep / fmt::format("{}-{}.cpp", settings.seed, count);
    std::ofstream(kept, std::ios::binary) << handlers.text;
    std::cerr << kept.string() << ":\n" << failures;
  }
  std::cout << fmt::format("{} right and {} wrong handlers, {} flows, {} files with failures\n",
                           right, wrong, flows, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(settings_of({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cerr << "check_handlers: " << error.what() << '\n';
    return 2;
  }
}
