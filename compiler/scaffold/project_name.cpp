#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "scaffold/scaffold.hpp"

namespace fairway::scaffold {
namespace {

constexpr std::size_t kMaxLength = 64;

/// Names of targets that CMake or the project itself has, and names that would hide a C++ namespace
/// or the folder of the build.
constexpr std::array<std::string_view, 17> kTaken = {
    "all",           "build",   "clean", "default_target", "doctest", "doctor",
    "edit_cache",    "fairway", "help",  "install",        "package", "package_source",
    "rebuild_cache", "std",     "test",  "uninstall",      "fw"};

bool may_be_in_name(char c) { return fw::base::is_alphanumeric(c) || c == '-' || c == '_'; }

/// A name that is allowed and looks like `text`; empty if nothing is left of it.
std::string similar_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (may_be_in_name(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  const auto first = std::ranges::find_if(name, fw::base::is_letter);
  name.erase(name.begin(), first);
  if (name.size() > kMaxLength) name.resize(kMaxLength);
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

[[noreturn]] void reject(std::string_view text) {
  const std::string similar = similar_name(text);
  throw BadProjectName(fmt::format(
      "the project name '{}' must begin with a letter and consist of at most {} letters (a to z), "
      "digits, '-' and '_'{}",
      text, kMaxLength,
      similar.empty() ? std::string() : fmt::format("; for example, use '{}'", similar)));
}

}  // namespace

ProjectName::ProjectName(std::string_view text) : text_(text) {
  if (text.empty()) throw BadProjectName("the project name must not be empty");
  if (!fw::base::is_letter(text.front()) || text.size() > kMaxLength ||
      !std::ranges::all_of(text, may_be_in_name)) {
    reject(text);
  }
  const auto is_same = [text](std::string_view taken) {
    return fw::base::equal_ignoring_case(taken, text);
  };
  if (std::ranges::any_of(kTaken, is_same)) {
    throw BadProjectName(fmt::format(
        "the project name '{}' is reserved: CMake or every project uses it; for example, "
        "use '{}-api'",
        text, text));
  }
}

std::string ProjectName::identifier() const {
  std::string result = fw::base::lower_case(text_);
  std::ranges::replace(result, '-', '_');
  return result;
}

std::string ProjectName::macro() const {
  std::string result = identifier();
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return result;
}

}  // namespace fairway::scaffold
