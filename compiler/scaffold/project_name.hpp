// The name of a new project, and the names that follow from it.
#pragma once

#include <string>
#include <string_view>

#include "files/user_error.hpp"

namespace fairway::scaffold {

/// The message says what is wrong with the name and, where it can, suggests another one.
class BadProjectName : public UserError {
  using UserError::UserError;
};

/// The folder, the CMake project and its program have this name. It begins with a letter and
/// consists of at most 64 ASCII letters, digits, '-' and '_'.
class ProjectName {
 public:
  /// Throws BadProjectName.
  explicit ProjectName(std::string_view text);

  const std::string& text() const { return text_; }
  /// In lower case with '_' instead of '-', for C++ and TypeScript names.
  std::string identifier() const;
  /// The identifier in upper case, for CMake options.
  std::string macro() const;

 private:
  std::string text_;
};

}  // namespace fairway::scaffold
