// The methods of a C++ client and the requests that they take.
#pragma once

#include <string>

#include "emit/client/client_api.hpp"
#include "emit/client/cpp_types.hpp"

namespace fairway::emit {

/// One operation. Types that it needs are declared in `types`.
struct CppOperation {
  std::string request;  ///< declaration of its request struct, or empty
  std::string result;   ///< declaration of its result's name, or empty
  std::string method;   ///< definition
};

/// `names` are those of the namespace, `methods` those of the class.
CppOperation cpp_operation(const ClientOperation& operation, bool envelope, CppTypes& types,
                           Scope& names, Scope& methods);

}  // namespace fairway::emit
