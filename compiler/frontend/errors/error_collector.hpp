// What Clang says about a file, as data.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <string>
#include <vector>

namespace fairway::frontend {

/// Collects errors and their notes. Keeps no references to Clang's objects.
class ErrorCollector : public clang::DiagnosticConsumer {
 public:
  struct Message {
    unsigned id = 0;
    clang::SourceLocation location;
    clang::SourceRange range;
    std::string text;
    std::vector<clang::FixItHint> fixes;  ///< the corrections that Clang assumed to continue
    /// The range that Clang underlines, if it begins at the caret, otherwise the token there.
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
  /// The errors that Clang reports during `trial`. They do not count as errors of the file.
  template <class Trial>
  std::vector<Error> errors_of(Trial trial) {
    const std::size_t before = errors_.size();
    trial();
    return take_from(before);
  }
  /// The driver's errors about flags. Unknown flags are ignored.
  const std::vector<std::string>& about_flags() const { return about_flags_; }

 private:
  std::vector<Error> take_from(std::size_t count);

  std::vector<Error> errors_;
  std::vector<std::string> about_flags_;
  bool in_source_ = false;
  bool last_is_error_ = false;
};

}  // namespace fairway::frontend
