#include "run_factory.hpp"

#include <fairway/fairway.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "app/access.hpp"
#include "app/declaration_json.hpp"
#include "time_limit.hpp"

namespace fairway::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSecondsToRun = 10;

bool succeeds(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int spawn_error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return spawn_error == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/// In a process of its own: writes what the factories in `library` register.
bool run_all(const fs::path& library, const std::vector<std::string>& symbols,
             const fs::path& output) {
  limit_time(kSecondsToRun);
  void* const loaded = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (loaded == nullptr) return false;
  fw::Json all = fw::Json::array();
  for (const std::string& symbol : symbols) {
    const auto* definition = static_cast<const fw::DefaultExport*>(::dlsym(loaded, symbol.c_str()));
    if (definition == nullptr || definition->routes() == nullptr) return false;
    fw::App app{fw::Config{}};
    fw::Router router(app);
    definition->routes()->run(router);
    fw::Json routes = fw::Json::array();
    for (const fw::RouteRecord& route : fw::detail::Access::end_registration(router)) {
      routes.push_back({route.method + ' ' + route.path, fw::detail::declaration_of(route).dump()});
    }
    all.push_back(std::move(routes));
  }
  std::ofstream file(output, std::ios::binary);
  const auto bytes = fw::Json::to_cbor(all);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

/// The headers come first, so that the files include nothing in their namespaces.
constexpr std::string_view kHeaders = R"(#include <fairway/fairway.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
)";

}  // namespace

RealCompiler::RealCompiler(Kind kind, fs::path directory, std::vector<std::string> flags)
    : directory_(std::move(directory)) {
  command_ = {kind == Kind::clang ? CLANG_PROGRAM : GCC_PROGRAM, "-w", "-O0", "-fPIC",
              "-DFAIRWAY_ROUTE_COMPILER=1"};
  command_.insert(command_.end(), flags.begin(), flags.end());
  fs::create_directories(directory_);
  const fs::path text = directory_ / "umbrella.hpp";
  std::ofstream(text) << "#include <fairway/fairway.hpp>\n";
  if (kind == Kind::clang) {
    make_clang_header(text);
  } else {
    make_gcc_header(text);
  }
}

bool RealCompiler::compiles(const std::vector<std::string>& arguments) const {
  auto command = command_;
  command.insert(command.end(), arguments.begin(), arguments.end());
  return succeeds(std::move(command));
}

void RealCompiler::make_clang_header(const fs::path& text) {
  const std::string header = directory_ / "umbrella.pch";
  const std::string library = directory_ / "umbrella.so";
  if (!compiles({"-fpch-instantiate-templates", "-fpch-codegen", "-x", "c++-header", text, "-o",
                 header}) ||
      !compiles({"-shared", header, "-o", library})) {
    throw std::runtime_error("the framework's header does not compile with Clang");
  }
  // Lazily, because it contains functions that are never called and whose own callees are nowhere.
  if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
    throw std::runtime_error(::dlerror());
  }
  command_.insert(command_.end(), {"-include-pch", header});
}

void RealCompiler::make_gcc_header(const fs::path& text) {
  if (!compiles({"-x", "c++-header", text, "-o", text.string() + ".gch"})) {
    throw std::runtime_error("the framework's header does not compile with GCC");
  }
  command_.insert(command_.end(), {"-include", text});
}

std::optional<fw::Json> RealCompiler::registrations(const fs::path& source) const {
  auto found = run(source, {"fairway_default_export"});
  if (!found) return std::nullopt;
  return std::move(found->front());
}

RealCompiler::Results RealCompiler::registrations(const std::vector<std::string>& texts) const {
  Results results(texts.size());
  if (!texts.empty()) run_part(texts, 0, texts.size(), results);
  return results;
}

void RealCompiler::run_part(const std::vector<std::string>& texts, std::size_t begin,
                            std::size_t end, Results& results) const {
  std::string program(kHeaders);
  std::vector<std::string> symbols;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string space = fmt::format("program_{}", i);
    program += fmt::format("namespace {} {{\n{}\n}}\n", space, texts[i]);
    symbols.push_back(fmt::format("_ZN{}{}22fairway_default_exportE", space.size(), space));
  }
  const fs::path source = directory_ / "programs.cpp";
  std::ofstream(source, std::ios::binary) << program;
  if (auto found = run(source, symbols)) {
    std::ranges::move(*found, results.begin() + static_cast<std::ptrdiff_t>(begin));
  } else if (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    run_part(texts, begin, middle, results);
    run_part(texts, middle, end, results);
  }
}

std::optional<std::vector<fw::Json>> RealCompiler::run(
    const fs::path& source, const std::vector<std::string>& symbols) const {
  const fs::path library = directory_ / "route_file.so";
  const fs::path output = directory_ / "registrations";
  if (!compiles({"-shared", source, "-o", library})) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    bool done = false;
    try {
      done = run_all(library, symbols, output);
    } catch (...) {
      done = false;
    }
    ::_exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("no process");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) return std::nullopt;
  std::ifstream file(output, std::ios::binary);
  return fw::Json::from_cbor(file).get<std::vector<fw::Json>>();
}

}  // namespace fairway::fuzz
