#include "emit/client/typescript_client.hpp"

namespace fairway::emit {

std::string emit_typescript_client(const ClientApi& api, const std::string& name) {
  return "// " + api.title + " as " + name + "\n";
}

}  // namespace fairway::emit
