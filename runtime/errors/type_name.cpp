#include "errors/type_name.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace fw::detail {

std::string type_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 && name ? name.get() : mangled;
}

}  // namespace fw::detail
