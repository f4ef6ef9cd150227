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
  /// The errors of what `trial` makes Clang do; they do not count as errors of the file.
  template <class Trial>
  std::vector<Error> errors_of(Trial trial) {
    const std::size_t before = errors_.size();
    trial();
    return take_from(before);
  }
  /// Flags that cannot be used, in the driver's words. Flags that Clang does not know are ignored.
  const std::vector<std::string>& about_flags() const { return about_flags_; }

 private:
  std::vector<Error> take_from(std::size_t count);

  std::vector<Error> errors_;
  std::vector<std::string> about_flags_;
  bool in_source_ = false;
  bool last_is_error_ = false;
};

/// The message about a missing header of the system, which is no error of the file. Empty when
/// there is none.
std::string missing_system_header(const clang::SourceManager& sources,
                                  const std::vector<ErrorCollector::Error>& errors);

/// Whether an error is in `range`, or in a template that is used there.
bool concerns(const Unit& unit, clang::SourceRange range, const ErrorCollector::Error& error);

/// Adds the errors to the file's diagnostics that are not left to the build of the handlers.
void report_compile_errors(Unit& unit, const std::vector<ErrorCollector::Error>& errors);

}  // namespace fairway::frontend
