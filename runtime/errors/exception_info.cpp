#include "errors/exception_info.hpp"

#include <fairway/fetch.hpp>
#include <fairway/logger.hpp>

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "base/loggable_url.hpp"

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
  return status == 0 && name ? name.get() : mangled;
}

Json to_log_field(const ExceptionInfo& info) {
  return {{"type", info.type}, {"message", info.message}, {"stack", info.stack}};
}

}  // namespace fw::detail

namespace fw {

Json error_fields(const std::exception& error) {
  return {{"err", detail::to_log_field(detail::describe(error))}};
}

}  // namespace fw
