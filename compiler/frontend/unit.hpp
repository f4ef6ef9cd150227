// One source file while it is being resolved.
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>
#include <utility>
#include <vector>

#include "frontend/locations.hpp"
#include "model/parsed_file.hpp"

namespace clang {
class Sema;
}

namespace fairway::frontend {

class ErrorCollector;

/// What all parts of the front end share about one file.
struct Unit {
  clang::ASTContext& context;
  clang::Sema& sema;
  ErrorCollector& errors;
  Locations at;
  model::ParsedFile& file;
  clang::SourceRange factory_body = {};
  /// Bodies of the handlers of registrations that are kept or reported: Clang's errors in them are
  /// the business of the build proper.
  std::vector<clang::SourceRange> handler_bodies = {};
  /// Bodies of lambdas in the factory that look like handlers, but of no known registration.
  std::vector<clang::SourceRange> lost_bodies = {};
  /// Statements whose faults have been reported already, by a diagnostic that says more: its index.
  struct Explained {
    clang::SourceRange range;
    std::size_t diagnostic;
    /// Where the last argument begins; invalid when Clang's reason has been told already.
    clang::SourceLocation handler;
  };
  std::vector<Explained> explained = {};

  model::Diagnostic& report(std::string id, std::string message, model::Range range) {
    auto& diagnostic = file.diagnostics.emplace_back();
    diagnostic.id = std::move(id);
    diagnostic.message = std::move(message);
    diagnostic.range = std::move(range);
    return diagnostic;
  }
};

}  // namespace fairway::frontend
