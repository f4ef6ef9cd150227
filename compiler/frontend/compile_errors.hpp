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
  };
  struct Error {
    Message message;
    std::vector<Message> notes;
  };

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override;
  const std::vector<Error>& errors() const { return errors_; }

 private:
  std::vector<Error> errors_;
  bool last_is_error_ = false;
};

/// Adds the errors that stand outside handlers' bodies to the file's diagnostics.
void report_compile_errors(Unit& unit, const std::vector<ErrorCollector::Error>& errors);

}  // namespace fairway::frontend
