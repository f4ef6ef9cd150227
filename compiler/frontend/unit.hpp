// One source file while it is being resolved.
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>
#include <utility>
#include <vector>

#include "frontend/locations.hpp"
#include "model/parsed_file.hpp"
#include "model/source_rules.hpp"

namespace clang {
class Sema;
}

namespace fairway::frontend {

class ErrorCollector;

/// Bodies of functions, which decide what becomes of Clang's errors in them.
struct FunctionBodies {
  clang::SourceRange factory = {};
  /// Of the handlers of registrations that are kept or reported: errors in them are left to the
  /// build of the program.
  std::vector<clang::SourceRange> handlers = {};
  /// Of lambdas in the factory that look like handlers, but of no known registration.
  std::vector<clang::SourceRange> lost = {};
};

/// A statement whose errors a diagnostic has reported already, in more detail than Clang.
struct Explained {
  clang::SourceRange range;
  std::size_t diagnostic;  ///< its index
  /// Where the last argument begins; invalid when the diagnostic has Clang's reason.
  clang::SourceLocation handler;
};

/// What all parts of the front end share about one file.
struct Unit {
  clang::ASTContext& context;
  clang::Sema& sema;
  ErrorCollector& errors;
  Locations at;
  model::ParsedFile& file;
  FunctionBodies bodies = {};
  std::vector<Explained> explained = {};

  model::Diagnostic& report(const model::Rule& rule, std::string message, model::Range range) {
    auto& diagnostic = file.diagnostics.emplace_back();
    diagnostic.id = rule.id;
    diagnostic.severity = rule.severity;
    diagnostic.message = std::move(message);
    diagnostic.range = std::move(range);
    return diagnostic;
  }
};

}  // namespace fairway::frontend
