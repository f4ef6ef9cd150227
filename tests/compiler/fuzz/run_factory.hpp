// What a route file registers when it is compiled and run.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fairway::fuzz {

/// Compiles route files, against a precompiled header that the constructor makes. With Clang, what
/// the framework's headers define is compiled with them once: little is left to do for a file.
class RealCompiler {
 public:
  enum class Kind { clang, gcc };

  /// Works in `directory`, which must be empty, and loads the framework's part into this process.
  /// Throws std::runtime_error when the header does not compile.
  RealCompiler(Kind kind, std::filesystem::path directory, std::vector<std::string> flags);

  /// `["GET /path", declaration]` for each registration of the file's factory, in their order, with
  /// the string of what runtime/app/declaration_json.hpp calls its declaration. Nothing when the
  /// file does not compile or link, when its default export is no route file's, or when the factory
  /// ends with an exception, a signal or not at all: then no application starts that could lack a
  /// route.
  std::optional<fw::Json> registrations(const std::filesystem::path& source) const;
  /// The same of several files, by their texts, as one program: most of what GCC does for a file is
  /// to read the precompiled header. They include the standard library and the framework only, and
  /// have no names with external linkage. If the program fails, parts of it are tried.
  std::vector<std::optional<fw::Json>> registrations(const std::vector<std::string>& texts) const;

 private:
  using Results = std::vector<std::optional<fw::Json>>;

  /// What the exports with these symbols register; nothing when the file does not compile, or when
  /// one of them fails.
  std::optional<std::vector<fw::Json>> run(const std::filesystem::path& source,
                                           const std::vector<std::string>& symbols) const;
  void run_part(const std::vector<std::string>& texts, std::size_t begin, std::size_t end,
                Results& results) const;
  bool compiles(const std::vector<std::string>& arguments) const;
  void make_clang_header(const std::filesystem::path& text);
  void make_gcc_header(const std::filesystem::path& text);

  std::filesystem::path directory_;
  std::vector<std::string> command_;
};

}  // namespace fairway::fuzz
