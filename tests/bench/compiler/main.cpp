// Measures `fairway build` on generated trees: cold, with nothing changed, and with one file
// edited, and `fairway doctor` with nothing changed, against `clang++ -fsyntax-only` over the same
// files in the same run. Prints a table in Markdown. Usage: bench_compiler [--files N] [--sample N]
// [--typed]
//   --files N   only the trees of N files
//   --typed     only the trees with generated types
//   --sample N  give Clang every N-th file and multiply; default: all files
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "child.hpp"
#include "temporary_directory.hpp"
#include "tree.hpp"

namespace {

using fairway::bench::Cost;
using fairway::bench::Tree;

constexpr std::array<Tree, 7> kTrees = {{{10, 1},
                                         {10, 1, true},
                                         {50, 10},
                                         {50, 10, true},
                                         {200, 10},
                                         {200, 10, true},
                                         {200, 10, false, true}}};
constexpr int kRepeats = 5;  // of what takes milliseconds: the median counts

struct Options {
  std::size_t files = 0;
  bool typed = false;
  std::size_t sample = 1;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int index = 1; index < argc; index += 2) {
    const std::string name = argv[index];
    if (name == "--typed") {
      options.typed = true;
      --index;
      continue;
    }
    if (index + 1 == argc) throw std::runtime_error(name + " needs a value");
    const std::size_t value = std::stoul(argv[index + 1]);
    if (name == "--files") {
      options.files = value;
    } else if (name == "--sample" && value > 0) {
      options.sample = value;
    } else {
      throw std::runtime_error("usage: bench_compiler [--files N] [--sample N] [--typed]");
    }
  }
  return options;
}

const std::vector<std::string>& flags() {
  static const std::vector<std::string> all = {"-std=c++20", "-I" FAIRWAY_INCLUDE_DIR};
  return all;
}

/// Clang over every `sample`-th file; what the others take is reckoned from those.
Cost syntax_only(const std::vector<std::filesystem::path>& files,
                 const std::filesystem::path& directory, std::size_t sample) {
  Cost sum;
  std::size_t measured = 0;
  for (std::size_t index = 0; index < files.size(); index += sample, ++measured) {
    std::vector<std::string> command = {CLANG_PROGRAM, "-fsyntax-only", files[index].string()};
    command.insert(command.end(), flags().begin(), flags().end());
    const std::filesystem::path generated = directory / "out/include";
    command.push_back("-I" + generated.string());
    command.push_back("-I" + (generated / "fairway/routes").string());
    sum += fairway::bench::run(command);
  }
  const double factor = static_cast<double>(files.size()) / static_cast<double>(measured);
  sum.cpu_seconds *= factor;
  sum.wall_seconds *= factor;
  return sum;
}

Cost fairway(const std::filesystem::path& directory, std::vector<std::string> command) {
  command.insert(command.begin(), FAIRWAY_PROGRAM);
  command.insert(command.end(),
                 {"--jobs", "2", "--source-dir", (directory / "src").string(), "--"});
  command.insert(command.end(), flags().begin(), flags().end());
  return fairway::bench::run(command);
}

Cost build(const std::filesystem::path& directory) {
  return fairway(directory, {"build", "--out-dir", (directory / "out").string()});
}

/// With the results that the build has kept. JSON goes where nobody reads it.
Cost doctor(const std::filesystem::path& directory) {
  return fairway(directory, {"doctor", "--format", "json", "--cache-dir",
                             (directory / "out" / "cache").string()});
}

/// Each member by itself.
Cost median(std::vector<Cost> costs) {
  const auto middle = [&](double Cost::* member) {
    std::sort(costs.begin(), costs.end(),
              [&](const Cost& a, const Cost& b) { return a.*member < b.*member; });
    return costs[costs.size() / 2].*member;
  };
  return {.cpu_seconds = middle(&Cost::cpu_seconds),
          .wall_seconds = middle(&Cost::wall_seconds),
          .peak_mib = middle(&Cost::peak_mib)};
}

void print_row(const Tree& tree, const std::string& what, const Cost& cost, const Cost& clang) {
  fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.1f} | {:.0f} |\n", tree.name(), what,
             cost.cpu_seconds, cost.wall_seconds, clang.cpu_seconds / cost.cpu_seconds,
             cost.peak_mib);
  std::fflush(stdout);
}

void measure(const Tree& tree, const Options& options) {
  const fairway::test::TemporaryDirectory directory;
  const auto files = write_tree(tree, directory.path());
  // Clang needs the headers that it generates.
  const Cost cold = build(directory.path());
  const Cost clang = syntax_only(files, directory.path(), options.sample);
  print_row(tree, "clang++ -fsyntax-only", clang, clang);
  print_row(tree, "fairway, cold", cold, clang);
  std::vector<Cost> unchanged;
  std::vector<Cost> edited;
  std::vector<Cost> examined;
  doctor(directory.path());
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    unchanged.push_back(build(directory.path()));
    examined.push_back(doctor(directory.path()));
    fairway::bench::edit_file(files[files.size() / 2]);
    edited.push_back(build(directory.path()));
    doctor(directory.path());
  }
  print_row(tree, "fairway, unchanged", median(unchanged), clang);
  print_row(tree, "fairway doctor, unchanged", median(examined), clang);
  print_row(tree, "fairway, one file edited", median(edited), clang);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    fmt::print("| tree | run | CPU s | wall s | times less CPU than Clang | peak MiB |\n");
    fmt::print("|---|---|--:|--:|--:|--:|\n");
    for (const Tree& tree : kTrees) {
      const bool is_wanted =
          (options.files == 0 || options.files == tree.files) && (tree.typed || !options.typed);
      if (is_wanted) measure(tree, options);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_compiler: %s\n", error.what());
    return 2;
  }
  return 0;
}
