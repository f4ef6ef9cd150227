#include "errors/exception_info.hpp"

#include <fairway/fetch_errors.hpp>

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <new>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "base/loggable_url.hpp"
#include "base/tree_guard.hpp"

namespace fw::detail {
namespace {

/// Its text, without the values of the query of an outbound URL, which may be secrets.
std::string message_of(const std::exception& error) {
  const auto* const fetch = dynamic_cast<const FetchError*>(&error);
  return fetch == nullptr ? error.what() : base::without_secrets_of(fetch->url(), error.what());
}

std::string demangled(const std::type_info& type) {
  std::string text = type_name(type.name());
  // std::throw_with_nested wraps the error in a type of the C++ library.
  constexpr std::string_view kNested = "std::_Nested_exception<";
  if (text.starts_with(kNested) && text.ends_with('>')) {
    text = text.substr(kNested.size(), text.size() - kNested.size() - 1);
  }
  return text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Removes an argument of a template, which begins with this text and is not the first one.
void remove_arguments(std::string& text, std::string_view begin) {
  for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    std::size_t end = at + begin.size();
    for (int open = 1; open > 0 && end < text.size(); ++end) {
      if (text[end] == '<') ++open;
      if (text[end] == '>') --open;
    }
    text.erase(at, end - at);
  }
}

/// Removes parts that are never written in code: inline namespaces of the library, and the default
/// arguments of its templates.
std::string without_defaults(std::string text) {
  for (const std::string_view inline_namespace : {"std::__cxx11::", "std::__1::"}) {
    replace_all(text, inline_namespace, "std::");
  }
  for (const std::string_view argument :
       {", std::allocator<", ", std::char_traits<", ", std::default_delete<", ", std::less<",
        ", std::hash<", ", std::equal_to<"}) {
    remove_arguments(text, argument);
  }
  replace_all(text, " >", ">");
  replace_all(text, "std::basic_string<char>", "std::string");
  replace_all(text, "std::basic_string_view<char>", "std::string_view");
  return text;
}

ExceptionInfo titled(std::string type, std::string message) {
  std::string stack = message.empty() ? type : type + ": " + message;
  return {std::move(type), std::move(message), std::move(stack)};
}

}  // namespace

ExceptionInfo describe(const std::exception& error) {
  ExceptionInfo info = titled(demangled(typeid(error)), message_of(error));
  if (const auto* nested = dynamic_cast<const std::nested_exception*>(&error);
      nested != nullptr && nested->nested_ptr()) {
    info.stack += "\ncaused by " + describe(nested->nested_ptr()).stack;
  }
  return info;
}

ExceptionInfo describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return describe(exception);
  } catch (const std::string& text) {
    return titled("std::string", text);
  } catch (const char* text) {
    return titled("const char*", text);
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return titled(type != nullptr ? demangled(*type) : "unknown", "");
  }
}

std::string type_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 && name ? without_defaults(name.get()) : mangled;
}

Json log_fields(const ExceptionInfo& info) {
  return base::make_tree([&](Json& fields) {
    Json& error = fields["err"] = Json::object();
    error["type"] = info.type;
    error["message"] = info.message;
    error["stack"] = info.stack;
  });
}

bool is_lack_of_memory(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

bool log_lack_of_memory(const Logger& logger, const std::exception_ptr& error) noexcept {
  if (!is_lack_of_memory(error)) return false;
  try {
    logger.error("std::bad_alloc: there is not enough memory");
  } catch (...) {
    // There is none for the line either.
  }
  return true;
}

}  // namespace fw::detail

namespace fw {

Json error_fields(const std::exception& error) {
  return detail::log_fields(detail::describe(error));
}

}  // namespace fw
