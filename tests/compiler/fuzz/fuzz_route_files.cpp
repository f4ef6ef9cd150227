// Mutates the front end's fixtures and reads them as `fairway doctor` would, each in a process of
// its own: a crash, a hang, an exception, or a finding that cannot be shown is an error. The
// sources of errors are kept.
//
//   fuzz_route_files [--seconds 60] [--sources N] [--skip N] [--seed 1] [--keep DIR]
//                    [--differential yes] [--programs N] [--mutations yes] [-- FLAGS]
//
// It ends after that time, after N sources (later if a compiler has compared no program yet), or
// when N programs of each compiler were compared. It prints the figures as it goes: a run that was
// ended continues with `--skip` and its number of sources, and the figures of both count. The
// framework's headers are precompiled, as they are for users; every tenth source is parsed without
// that as well, with the same result.
//
// With --differential, what the route compiler accepts is compiled by Clang or GCC, whichever had
// fewer programs, and run as well: the routes that it registers must be those that the route
// compiler has found, with the same options. Every third source then is a file of random options
// instead of a mutated fixture, and each fixture comes once as it is. With --mutations no, there
// are no others. Files of random options are compiled several at a time.
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
#include "frontend/invocation/shared_header.hpp"
#include "frontend/parse.hpp"
#include "fuzz_options.hpp"
#include "model/parsed_file_archive.hpp"
#include "model/route_declaration.hpp"
#include "model/source_rules.hpp"
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
constexpr int kComparable = 6;            // the registrations are in a file, and are compared later
constexpr unsigned kParsedBothWays = 10;  // one source of so many
constexpr unsigned kRandomOptions = 3;    // likewise
constexpr unsigned kRandomRoutes = 24;
constexpr std::size_t kFilesOfProgram = 6;
constexpr const char* kResolvedFile = "resolved.json";

struct Settings {
  unsigned seconds = 60;
  unsigned sources = std::numeric_limits<unsigned>::max();
  unsigned skip = 0;  ///< sources that another run has examined
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
                      {"--skip", fuzz::into(settings.skip)},
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

/// `["GET /path", declaration]` for each registration; the declaration is null if it is not known.
fw::Json resolved_routes(const model::ParsedFile& file) {
  fw::Json routes = fw::Json::array();
  for (const model::Registration& route : file.registrations) {
    fw::Json declaration;
    if (route.options_resolved) {
      const model::Json options =
          route.options ? resolve::option_json(*route.options) : model::Json::object();
      declaration = model::route_declaration(route.method, route.path, options).dump();
    }
    routes.push_back({route.method + ' ' + route.path, std::move(declaration)});
  }
  return routes;
}

fw::Json names_of(const fw::Json& routes) {
  fw::Json names = fw::Json::array();
  for (const fw::Json& route : routes) names.push_back(route[0]);
  return names;
}

/// What the program registers otherwise than the route compiler says; empty: nothing.
std::string difference(const fw::Json& resolved, const fw::Json& registered) {
  const fw::Json names = names_of(resolved);
  if (const fw::Json others = names_of(registered); others != names) {
    return fmt::format("resolved: {}; registered: {}", names.dump(), others.dump());
  }
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    const fw::Json& declaration = resolved[i][1];
    if (declaration.is_null() || declaration == registered[i][1]) continue;
    return fmt::format("{}: resolved: {}; registered: {}", resolved[i][0].get<std::string>(),
                       declaration.get<std::string>(), registered[i][1].get<std::string>());
  }
  return "";
}

/// Whether Clang compiles the whole file.
bool compiles(const model::ParsedFile& file) {
  return std::ranges::none_of(file.diagnostics, [](const model::Diagnostic& each) {
    return each.id == model::rules::does_not_parse.id ||
           each.id == model::rules::bad_registration.id;
  });
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
    const auto file = frontend::parse_file(job, &headers).file;
    if (how.parses_both_ways && bytes_of(file) != bytes_of(frontend::parse_file(job).file)) {
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
    int status = EXIT_SUCCESS;
    const bool is_accepted = report.ok() || how.has_random_options;
    const bool is_runnable = failure.empty() && is_accepted && how.compiler != nullptr &&
                             file.export_kind == model::ExportKind::routes;
    if (is_runnable && how.has_random_options) {
      if (compiles(file)) {
        std::ofstream(directory / kResolvedFile) << resolved_routes(file).dump();
        status = kComparable;
      }
    } else if (is_runnable) {
      const auto registered = how.compiler->registrations(directory / "routes" / "index.cpp");
      if (registered) {
        status = kCompared;
        failure = difference(resolved_routes(file), *registered);
      }
    }
    if (failure.empty()) return status;
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

/// The sources that are examined, and those that have errors.
class Run {
 public:
  explicit Run(Settings settings) : settings_(std::move(settings)), sources_(settings_) {
    for (const auto& entry : fs::directory_iterator(FIXTURE_DIR)) {
      if (entry.is_directory()) settings_.flags.push_back("-I" + entry.path().string());
    }
    if (!settings_.differential) return;
    using Kind = fuzz::RealCompiler::Kind;
    compilers_.emplace_back(Kind::clang, workshop_.path() / "clang", settings_.flags);
    compilers_.emplace_back(Kind::gcc, workshop_.path() / "gcc", settings_.flags);
    compared_.resize(compilers_.size(), 0);
  }

  bool succeeds() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings_.seconds);
    for (; count_ < settings_.skip; ++count_) (void)sources_.next();
    const auto has_time = [&] { return std::chrono::steady_clock::now() < end; };
    const auto needs_more = [&] {
      return count_ - settings_.skip < settings_.sources || is_idle();
    };
    while (needs_more() && has_time() && !is_complete()) {
      examine_next();
      ++count_;
      if (waiting_.size() < kFilesOfProgram) continue;
      compare_waiting();
      print_figures();
    }
    compare_waiting();
    print_figures();
    return failures_ == 0 && !is_idle();
  }

 private:
  void print_figures() const {
    std::cout << fmt::format("seed {}: {} sources, {} errors", settings_.seed, count_, failures_);
    if (settings_.differential) {
      std::cout << fmt::format(
          ", programs compared: {} of Clang, {} of GCC (paths, options and docs)", compared_[0],
          compared_[1]);
    }
    std::cout << std::endl;
  }

  /// A file of random options that is compiled with others.
  struct Waiting {
    Sources::Source source;
    unsigned index = 0;
    fw::Json resolved;
  };

  /// Whether a compiler has compared no program.
  bool is_idle() const { return std::ranges::find(compared_, 0U) != compared_.end(); }

  bool is_complete() const {
    return !compared_.empty() && *std::ranges::min_element(compared_) >= settings_.programs;
  }

  /// The compiler that has compared fewer programs.
  std::size_t turn() const {
    return static_cast<std::size_t>(std::ranges::min_element(compared_) - compared_.begin());
  }

  void examine_next() {
    const Sources::Source source = sources_.next();
    const test::TemporaryDirectory directory;
    directory.write("routes/index.cpp", source.text);
    const std::size_t turn = this->turn();
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(examine(directory.path(), settings_.flags,
                      {.headers = workshop_.path() / "headers",
                       .parses_both_ways = count_ % kParsedBothWays == 0,
                       .has_random_options = source.has_random_options,
                       .compiler = compilers_.empty() ? nullptr : &compilers_[turn]}));
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("no process");
    const std::string failure = outcome(status);
    if (!failure.empty()) return fail(source, count_, failure);
    if (!WIFEXITED(status)) return;
    if (WEXITSTATUS(status) == kCompared) ++compared_[turn];
    if (WEXITSTATUS(status) != kComparable) return;
    std::ifstream resolved(directory.path() / kResolvedFile);
    waiting_.push_back({source, count_, fw::Json::parse(resolved)});
  }

  void compare_waiting() {
    if (waiting_.empty()) return;
    const std::size_t turn = this->turn();
    std::vector<std::string> texts;
    for (const Waiting& each : waiting_) texts.push_back(each.source.text);
    const auto registered = compilers_[turn].registrations(texts);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (!registered[i]) continue;
      ++compared_[turn];
      const std::string found = difference(waiting_[i].resolved, *registered[i]);
      if (found.empty()) continue;
      std::cerr << found << '\n';
      fail(waiting_[i].source, waiting_[i].index, "invalid result");
    }
    waiting_.clear();
  }

  /// Keeps the source.
  void fail(const Sources::Source& source, unsigned index, const std::string& failure) {
    fs::create_directories(settings_.keep);
    const fs::path kept =
        settings_.keep / fmt::format("{}-{}-{}", settings_.seed, index, source.name);
    std::ofstream(kept, std::ios::binary) << source.text;
    std::cerr << fmt::format("{}: {}\n", kept.string(), failure);
    ++failures_;
  }

  Settings settings_;
  Sources sources_;
  const test::TemporaryDirectory workshop_;
  std::vector<fuzz::RealCompiler> compilers_;
  std::vector<unsigned> compared_;  ///< programs of each compiler
  std::vector<Waiting> waiting_;
  unsigned count_ = 0;
  unsigned failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    Run run(settings_of({argv + 1, argv + argc}));
    return run.succeeds() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& failure) {
    std::cerr << "fuzz_route_files: " << failure.what() << '\n';
    return 2;
  }
}
