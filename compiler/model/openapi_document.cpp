#include "model/openapi_document.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace fairway::model {

std::string method_of(std::string_view member) {
  std::string method(member);
  std::ranges::transform(method, method.begin(), fw::base::to_upper);
  return method;
}

std::vector<std::string> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps(1);
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer.substr(i, 2) == "~1" || pointer.substr(i, 2) == "~0") {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

}  // namespace fairway::model
