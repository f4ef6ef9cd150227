// What Clang itself finds wrong with a file.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <string>
#include <vector>

#include "frontend/unit.hpp"

namespace fairway::frontend {

/// Collects errors with their notes. Owns nothing of Clang's.
class ErrorCollector : public clang::DiagnosticConsumer {
 public:
  struct Message {
    unsigned id = 0;
    clang::SourceLocation location;
    clang::SourceRange range;
    std::string text;
    std::vector<clang::FixItHint> fixes;  ///< what Clang took for granted to go on
    /// What Clang underlines, where that begins at the caret; else the token there.
    clang::SourceRange shown() const;
  };
  struct Error {
    Message message;
    std::vector<Message> notes;
  };

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override;
  void BeginSourceFile(const clang::LangOptions&, const clang::Preprocessor*) override;
  const std::vector<Error>& errors() const { return errors_; }
  /// Removes and returns the errors since there were `count`.
  std::vector<Error> take_from(std::size_t count);
  /// Flags that cannot be used, in the driver's words. Flags that Clang does not know are no fault.
  const std::vector<std::string>& about_flags() const { return about_flags_; }

 private:
  std::vector<Error> errors_;
  std::vector<std::string> about_flags_;
  bool in_source_ = false;
  bool last_is_error_ = false;
};

/// A header of the system that is missing: then the machine is at fault. Empty when there is none.
std::string missing_system_header(const clang::SourceManager& sources,
                                  const std::vector<ErrorCollector::Error>& errors);

/// Whether an error stands in `range`, or in a template that is used there.
bool concerns(const Unit& unit, clang::SourceRange range, const ErrorCollector::Error& error);

/// Adds the errors to the file's diagnostics that are not left to the build of the handlers.
void report_compile_errors(Unit& unit, const std::vector<ErrorCollector::Error>& errors);

}  // namespace fairway::frontend
