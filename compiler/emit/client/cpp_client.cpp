#include "emit/client/cpp_client.hpp"

namespace fairway::emit {

std::string emit_cpp_client(const ClientApi& api, const std::string& name) {
  return "// " + api.title + " as " + name + "\n";
}

}  // namespace fairway::emit
