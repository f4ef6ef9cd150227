// Mutates the front end's fixtures and reads them as `fairway doctor` would, each in a process of
// its own: a crash, a hang, an exception, or a finding that cannot be shown is an error. The
// sources of errors are kept.
//
//   fuzz_route_files [--seconds 60] [--sources N] [--seed 1] [--keep DIR] [--differential yes]
//                    [--programs N] [--mutations yes] [-- FLAGS]
//
// It ends after that time, after N sources, or when N programs of each compiler were compared. The
// framework's headers are precompiled, as they are for users; every tenth source is parsed without
// that as well, with the same result.
//
// With --differential, what the route compiler accepts is compiled by Clang or GCC, whichever had
// fewer programs, and run as well: the routes that it registers must be those that the route
// compiler has found, with the same options. Every third source then is a file of random options
// instead of a mutated fixture, and each fixture comes once as it is. With --mutations no, there
// are no others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "diagnostics/renderers.hpp"
#include "emit/application_files.hpp"
#include "files/archive.hpp"
#include "frontend/parse.hpp"
#include "frontend/shared_header.hpp"
#include "fuzz_options.hpp"
#include "model/parsed_file_archive.hpp"
#include "model/route_declaration.hpp"
#include "mutate.hpp"
#include "random_options.hpp"
#include "resolve/value_json.hpp"
#include "rules/catalogue.hpp"
#include "rules/check.hpp"
#include "rules/lints.hpp"
#include "run_factory.hpp"
#include "temporary_directory.hpp"
#include "time_limit.hpp"

namespace {

namespace fs = std::filesystem;
using namespace fairway;

constexpr unsigned kSecondsPerFile = 60;
constexpr int kInvalidResult = 3;
constexpr int kThrew = 4;
constexpr int kCompared = 5;
constexpr unsigned kParsedBothWays = 10;  // one source of so many
constexpr unsigned kRandomOptions = 3;    // likewise
constexpr unsigned kRandomRoutes = 24;

struct Settings {
  unsigned seconds = 60;
  unsigned sources = std::numeric_limits<unsigned>::max();
  std::uint64_t seed = 1;
  fs::path keep = "fuzz-failures";
  bool differential = false;
  bool mutations = true;
  unsigned programs = std::numeric_limits<unsigned>::max();  ///< of each compiler
  std::vector<std::string> flags = {"-std=c++20", "-I" FAIRWAY_INCLUDE_DIR};
};

Settings settings_of(const std::vector<std::string>& words) {
  Settings settings;
  const auto into_flag = [](bool& flag) {
    return [&flag](const std::string& value) { flag = value == "yes"; };
  };
  fuzz::read_options(words,
                     {{"--seconds", fuzz::into(settings.seconds)},
                      {"--sources", fuzz::into(settings.sources)},
                      {"--seed", fuzz::into(settings.seed)},
                      {"--differential", into_flag(settings.differential)},
                      {"--mutations", into_flag(settings.mutations)},
                      {"--programs", fuzz::into(settings.programs)},
                      {"--keep", [&](const std::string& value) { settings.keep = value; }}},
                     settings.flags);
  return settings;
}

struct Fixture {
  fs::path path;
  fuzz::Tokens tokens;
};

std::vector<Fixture> read_fixtures(fuzz::Tokens& pool) {
  std::vector<Fixture> fixtures;
  for (const auto& entry : fs::recursive_directory_iterator(FIXTURE_DIR)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    fixtures.push_back({entry.path(), fuzz::tokens_of(text.str())});
    pool.insert(pool.end(), fixtures.back().tokens.begin(), fixtures.back().tokens.end());
  }
  std::ranges::sort(fixtures, {}, &Fixture::path);
  std::ranges::sort(pool);
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return fixtures;
}

/// Empty when the result can be shown and agrees with itself.
std::string failure_of(const diagnostics::Report& report, const model::Application& application,
                       const model::ParsedFile& file) {
  for (const auto& diagnostic : report.diagnostics) {
    if (rules::find_rule(diagnostic.id) == nullptr) return "unknown id " + diagnostic.id;
    if (diagnostic.message.empty()) return "no message for " + diagnostic.id;
    if (diagnostic.range.file.empty()) return "no file for " + diagnostic.id;
  }
  const bool drops_routes = report.ok() && application.files.size() == 1 &&
                            application.files.front().routes.size() != file.registrations.size();
  return drops_routes ? "a registration is dropped without a word" : "";
}

fw::Json name_of(const model::Registration& route) { return route.method + ' ' + route.path; }

/// What the program registers otherwise than `file` says. Nothing when it does not come to that.
std::optional<std::string> difference(const model::ParsedFile& file, const fs::path& source,
                                      const fuzz::RealCompiler& compiler) {
  if (file.export_kind != model::ExportKind::routes) return std::nullopt;
  const auto registered = compiler.registrations(source);
  if (!registered) return std::nullopt;
  fw::Json names = fw::Json::array();
  for (const auto& route : *registered) names.push_back(route[0]);
  fw::Json resolved = fw::Json::array();
  for (const auto& route : file.registrations) resolved.push_back(name_of(route));
  if (names != resolved) {
    return fmt::format("resolved: {}; registered: {}", resolved.dump(), names.dump());
  }
  for (std::size_t index = 0; index < file.registrations.size(); ++index) {
    const auto& route = file.registrations[index];
    if (!route.options_resolved) continue;
    const model::Json options =
        route.options ? resolve::option_json(*route.options) : model::Json::object();
    const std::string declaration =
        model::route_declaration(route.method, route.path, options).dump();
    if ((*registered)[index][1] == declaration) continue;
    return fmt::format("{}: resolved: {}; registered: {}", route.path, declaration,
                       (*registered)[index][1].get<std::string>());
  }
  return "";
}

/// How one source is examined.
struct Examination {
  fs::path headers;  ///< where the precompiled ones are kept
  bool parses_both_ways = false;
  bool has_random_options = false;  ///< those that are rejected take nothing from the others
  const fuzz::RealCompiler* compiler = nullptr;  ///< null: nothing is run
};

std::string bytes_of(const model::ParsedFile& file) {
  files::ArchiveWriter writer;
  writer(file);
  return writer.bytes();
}

/// What the child does with one source; its exit status.
int examine(const fs::path& directory, const std::vector<std::string>& flags,
            const Examination& how) {
  fuzz::limit_time(kSecondsPerFile);
  try {
    const frontend::ParseJob job{.source_dir = directory.string(),
                                 .path = "routes/index.cpp",
                                 .flags = frontend::fixed_flags(flags, "")->flags_for("")};
    files::InputChecker checker;
    frontend::SharedHeaders headers(how.headers, checker);
    const auto file = frontend::parse_with(job, &headers).file;
    if (how.parses_both_ways && bytes_of(file) != bytes_of(frontend::parse_file(job))) {
      std::cerr << "another result with the framework's headers precompiled\n";
      return kInvalidResult;
    }
    auto resolution = rules::check({file}, {.name = "", .source_name = "src", .middlewares = {}},
                                   emit::generated_code());
    diagnostics::Report report{.files = 1, .diagnostics = std::move(resolution.diagnostics)};
    if (report.ok()) {
      for (auto& lint : rules::lint(resolution.application, {file})) {
        report.diagnostics.push_back(std::move(lint));
      }
    }
    diagnostics::FileSourceText sources;
    (void)diagnostics::render_text(report, sources, true);
    (void)diagnostics::render_json(report);
    std::string failure = failure_of(report, resolution.application, file);
    bool is_compared = false;
    if (failure.empty() && (report.ok() || how.has_random_options) && how.compiler != nullptr) {
      const auto found = difference(file, directory / "routes" / "index.cpp", *how.compiler);
      is_compared = found.has_value();
      failure = found.value_or("");
    }
    if (failure.empty()) return is_compared ? kCompared : EXIT_SUCCESS;
    std::cerr << failure << '\n';
    return kInvalidResult;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return kThrew;
  }
}

std::string outcome(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fuzz::says_out_of_time(signal) ? "hang" : fmt::format("signal {}", signal);
  }
  if (WEXITSTATUS(status) == kInvalidResult) return "invalid result";
  return WEXITSTATUS(status) == kThrew ? "exception" : "";
}

/// The sources in their order.
class Sources {
 public:
  struct Source {
    std::string name;
    std::string text;
    bool has_random_options = false;
  };

  explicit Sources(const Settings& settings)
      : is_differential_(settings.differential),
        mutations_(settings.mutations),
        random_(settings.seed),
        fixtures_(read_fixtures(pool_)),
        order_(fixtures_.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::shuffle(order_, random_);
  }

  Source next() {
    const unsigned turn = count_++ % kRandomOptions;
    if (is_differential_ && turn == 1 && shown_ < order_.size()) {
      const Fixture& fixture = fixtures_[order_[shown_++]];
      return {fixture.path.filename().string(), fmt::format("{}", fmt::join(fixture.tokens, ""))};
    }
    if (is_differential_ && (turn == 0 || !mutations_)) {
      return {"options.cpp", fuzz::random_route_file(kRandomRoutes, random_), true};
    }
    const Fixture& fixture = fixtures_[random_() % fixtures_.size()];
    return {fixture.path.filename().string(), fuzz::mutated(fixture.tokens, pool_, random_)};
  }

 private:
  bool is_differential_;
  bool mutations_;
  std::mt19937_64 random_;
  fuzz::Tokens pool_;
  std::vector<Fixture> fixtures_;
  std::vector<std::size_t> order_;  ///< of fixtures that come as they are
  std::size_t shown_ = 0;
  unsigned count_ = 0;
};

int run(Settings settings) {
  Sources sources(settings);
  for (const auto& entry : fs::directory_iterator(FIXTURE_DIR)) {
    if (entry.is_directory()) settings.flags.push_back("-I" + entry.path().string());
  }
  const test::TemporaryDirectory workshop;
  std::vector<fuzz::RealCompiler> compilers;
  if (settings.differential) {
    using Kind = fuzz::RealCompiler::Kind;
    compilers.emplace_back(Kind::clang, workshop.path() / "clang", settings.flags);
    compilers.emplace_back(Kind::gcc, workshop.path() / "gcc", settings.flags);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings.seconds);
  unsigned count = 0;
  unsigned failures = 0;
  std::vector<unsigned> compared(compilers.size(), 0);
  const auto is_complete = [&] {
    return !compared.empty() && *std::ranges::min_element(compared) >= settings.programs;
  };
  for (; count < settings.sources && std::chrono::steady_clock::now() < end && !is_complete();
       ++count) {
    const Sources::Source source = sources.next();
    const test::TemporaryDirectory directory;
    directory.write("routes/index.cpp", source.text);

    const auto turn =
        static_cast<std::size_t>(std::ranges::min_element(compared) - compared.begin());
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(examine(directory.path(), settings.flags,
                      {.headers = workshop.path() / "headers",
                       .parses_both_ways = count % kParsedBothWays == 0,
                       .has_random_options = source.has_random_options,
                       .compiler = compilers.empty() ? nullptr : &compilers[turn]}));
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("no process");
    const std::string failure = outcome(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kCompared) ++compared[turn];
    if (failure.empty()) continue;
    fs::create_directories(settings.keep);
    const fs::path kept =
        settings.keep / fmt::format("{}-{}-{}", settings.seed, count, source.name);
    std::ofstream(kept, std::ios::binary) << source.text;
    std::cerr << fmt::format("{}: {}\n", kept.string(), failure);
    ++failures;
  }
  std::cout << fmt::format("seed {}: {} sources, {} errors", settings.seed, count, failures);
  if (settings.differential) {
    std::cout << fmt::format(
        ", programs compared: {} of Clang, {} of GCC (paths, options and docs)", compared[0],
        compared[1]);
  }
  std::cout << '\n';
  const bool is_idle = std::ranges::find(compared, 0U) != compared.end();
  return failures == 0 && !is_idle ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(settings_of({argv + 1, argv + argc}));
  } catch (const std::exception& failure) {
    std::cerr << "fuzz_route_files: " << failure.what() << '\n';
    return 2;
  }
}
