#include "frontend/errors/error_collector.hpp"

#include <clang/Basic/DiagnosticDriver.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace fairway::frontend {
namespace {

/// Clang ignores flags of other compilers, and those without effect. A known flag with an invalid
/// value (`-std=c++1`) is an error, because ignoring it could change the meaning of the file.
bool is_of_unsupported_flag(unsigned id) {
  using namespace clang::diag;
  constexpr unsigned kIds[] = {err_drv_unknown_argument,
                               err_drv_unknown_argument_with_suggestion,
                               err_drv_unsupported_opt,
                               err_drv_unsupported_opt_with_suggestion,
                               err_drv_unsupported_opt_for_target,
                               err_drv_argument_only_allowed_with};
  return std::ranges::find(kIds, id) != std::end(kIds);
}

std::string without_unwritten_scopes(llvm::StringRef text) {
  constexpr llvm::StringLiteral kScope = "(anonymous namespace)::";
  std::string result;
  for (std::size_t at = text.find(kScope); at != llvm::StringRef::npos; at = text.find(kScope)) {
    result += text.take_front(at);
    text = text.drop_front(at + kScope.size());
  }
  return result + text.str();
}

}  // namespace

void ErrorCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                      const clang::Diagnostic& diagnostic) {
  DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  if (level == clang::DiagnosticsEngine::Warning || level == clang::DiagnosticsEngine::Remark ||
      level == clang::DiagnosticsEngine::Ignored) {
    last_is_error_ = false;
    return;
  }
  llvm::SmallString<256> text;
  diagnostic.FormatDiagnostic(text);
  Message message{diagnostic.getID(),
                  diagnostic.getLocation(),
                  {},
                  without_unwritten_scopes(text),
                  diagnostic.getFixItHints().vec()};
  for (const auto& range : diagnostic.getRanges()) {
    if (range.isValid() && range.isTokenRange()) {
      message.range = range.getAsRange();
      break;
    }
  }
  if (!in_source_) {
    if (level >= clang::DiagnosticsEngine::Error && !is_of_unsupported_flag(message.id)) {
      about_flags_.push_back(message.text);
    }
    return;
  }
  if (level >= clang::DiagnosticsEngine::Error) {
    errors_.push_back({std::move(message), {}});
    last_is_error_ = true;
  } else if (last_is_error_ && !errors_.empty()) {
    errors_.back().notes.push_back(std::move(message));
  }
}

void ErrorCollector::BeginSourceFile(const clang::LangOptions&, const clang::Preprocessor*) {
  in_source_ = true;
}

std::vector<ErrorCollector::Error> ErrorCollector::take_from(std::size_t count) {
  const auto first = errors_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Error> taken(std::make_move_iterator(first), std::make_move_iterator(errors_.end()));
  errors_.erase(first, errors_.end());
  return taken;
}

clang::SourceRange ErrorCollector::Message::shown() const {
  return range.getBegin() == location ? range : clang::SourceRange(location);
}

}  // namespace fairway::frontend
