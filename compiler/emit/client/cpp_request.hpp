// What a method of a C++ client takes, and how it becomes a request.
#pragma once

#include <string>

#include "emit/client/client_api.hpp"
#include "emit/client/cpp_types.hpp"

namespace fairway::emit {

struct CppRequest {
  std::string name;          ///< of the struct; empty when there is nothing to say
  std::string declaration;   ///< of the struct
  bool is_optional = false;  ///< no member has to be given
  std::string building;      ///< statements that fill `call`
};

CppRequest cpp_request(const ClientOperation& operation, CppTypes& types, Scope& names);

}  // namespace fairway::emit
