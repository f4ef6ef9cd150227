// The state of a source file while it is being resolved.
#pragma once

#include <clang/AST/ASTContext.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/source/locations.hpp"
#include "model/json_names.hpp"
#include "model/parsed_file.hpp"
#include "model/source_rules.hpp"

namespace clang {
class Sema;
}

namespace fairway::frontend {

class CallIndex;
class ErrorCollector;
class GeneratedNames;
class NamedTypes;
class SourceWords;

/// Bodies of handlers, by which Clang's errors in them are classified.
struct FunctionBodies {
  clang::SourceRange factory = {};
  /// Handlers of known registrations. The build of the program reports errors in them.
  std::vector<clang::SourceRange> handlers = {};
  /// Lambdas in the factory that look like handlers, but belong to no known registration.
  std::vector<clang::SourceRange> unregistered = {};
  /// Functions of headers that are read. Errors in them are errors of the headers.
  std::vector<clang::SourceRange> in_headers = {};
};

/// What the route compiler may read otherwise than the compiler of the program.
struct CompilerDifference {
  clang::SourceLocation begin;
  std::string macro;  ///< "__clang__"
  std::string help;   ///< "replace the '#ifdef' by a macro that your build defines"
};

/// A token of the user's files that has another value in the program.
struct DifferingToken : CompilerDifference {
  /// Whether it is an error in the default of a member, too: otherwise the document has no default.
  bool is_error = false;
};

/// A conditional directive that mentions a macro of the compiler. It begins at the keyword `if`.
struct CompilerCondition : CompilerDifference {
  clang::SourceLocation end;      ///< the keyword `endif`
  std::vector<bool> values = {};  ///< of its directives
  /// Whether the file is also read as a compiler that selects another branch reads it.
  bool is_compared = false;
  /// Whether it only mentions macros that the readings vary, so that no compiler of the program
  /// selects what no reading selects.
  bool is_covered = true;
  clang::SourceLocation derived_from = {};  ///< the condition that defines the macro it mentions
};

/// A statement whose errors a diagnostic already reports in more detail than Clang.
struct Explained {
  clang::SourceRange range;
  std::size_t diagnostic;  ///< its index
  /// The beginning of the last argument; invalid if the diagnostic already has Clang's reason.
  clang::SourceLocation handler;
};

/// A word of the main file that Clang's tree lacks.
struct LostWord {
  enum class Kind {
    sender,  ///< the name of something that may send a response
    leave,   ///< `return` and the like
    raise    ///< may raise an error
  };
  unsigned offset = 0;
  Kind kind = Kind::sender;
};

/// The data about a file that all parts of the front end share.
struct FileContext {
  clang::ASTContext& ast;
  clang::Sema& sema;
  ErrorCollector& errors;
  Locations at;
  model::ParsedFile& file;
  const std::vector<DifferingToken>& differing_tokens;
  const std::vector<CompilerCondition>& conditions;
  const GeneratedNames& generated_names;
  const SourceWords& words;
  model::JsonNames json_names = model::JsonNames::as_written;
  std::string source_dir = {};  ///< absolute, without links
  NamedTypes* types = nullptr;  ///< while a factory is read
  FunctionBodies bodies = {};
  std::vector<Explained> explained = {};
  std::vector<LostWord> lost = {};  ///< in source order
  bool reports_handlers = false;    ///< whether errors in handlers are reported
  /// Whether this is the file as GCC reads it: what its macros decide is compared, and no error.
  bool is_gcc = false;
  /// Null until lost_calls needs it.
  mutable std::shared_ptr<const CallIndex> calls = {};

  model::Diagnostic& report(const model::Rule& rule, std::string message, model::Range range) {
    auto& diagnostic = file.diagnostics.emplace_back();
    diagnostic.id = rule.id;
    diagnostic.severity = rule.severity;
    diagnostic.message = std::move(message);
    diagnostic.range = std::move(range);
    // What has no place in a text, such as a macro of the command line, is of the file.
    if (diagnostic.range.file.empty()) diagnostic.range.file = file.display_path;
    return diagnostic;
  }
};

}  // namespace fairway::frontend
