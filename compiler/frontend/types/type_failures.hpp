// Why a type has no form in JSON: the messages, and where they are reported.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Of the type that is being read.
class TypeFailures {
 public:
  using Json = nlohmann::ordered_json;

  /// Where the cause of a failure is, and how it was reached.
  struct Failure {
    std::string id;
    std::string message;
    std::string help;
    model::Range range;
    std::vector<model::Note> notes = {};
    std::vector<model::FixIt> fixes = {};
  };

  explicit TypeFailures(FileContext& context) : context_(context) {}

  /// Adds a failure; without a range, it is at the member that is being read. The result is a
  /// schema that there is not.
  std::optional<Json> fail(std::string_view id, std::string message, std::string help,
                           clang::SourceRange range);
  std::optional<Json> unsupported(clang::QualType type, std::string help);
  /// From the comment; fails if it is not UTF-8, and is false then.
  bool add_description(const clang::NamedDecl& declaration, Json& schema);
  /// Those that another use of a type had.
  void add(const std::vector<Failure>& others);
  Failure& last() { return failures_.back(); }

  std::size_t size() const { return failures_.size(); }
  /// Without the first ones.
  std::vector<Failure> since(std::size_t first) const;
  void clear() { failures_.clear(); }
  /// Reports all, each once in the file, and forgets them. `use` is where the type is used.
  void report(const model::Range& use);

  /// The members that are being read, from the outermost one on.
  const std::vector<const clang::DeclaratorDecl*>& path() const { return path_; }
  void enter(const clang::DeclaratorDecl& member) { path_.push_back(&member); }
  void leave() { path_.pop_back(); }
  void clear_path() { path_.clear(); }

 private:
  void report(Failure failure, const model::Range& use);

  FileContext& context_;
  std::vector<Failure> failures_;
  std::vector<const clang::DeclaratorDecl*> path_;
};

}  // namespace fairway::frontend
