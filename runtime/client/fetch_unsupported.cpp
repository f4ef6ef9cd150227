// Replaces the outbound client in builds without libcurl.
#include <stdexcept>

#include "client/network/url.hpp"
#include "client/transfer.hpp"

namespace fw::client {
namespace {

[[noreturn]] void throw_unsupported() {
  throw std::logic_error(
      "this build of Fairway has no outbound client: configure it with FAIRWAY_FETCH, where "
      "libcurl "
      "is installed");
}

}  // namespace

Url parse_url(std::string_view) { throw_unsupported(); }
Url resolve_url(const Url&, std::string_view) { throw_unsupported(); }
BaseUrl parse_base_url(std::string_view) { throw_unsupported(); }
void use_unix_socket(Url&, std::string) { throw_unsupported(); }
bool has_http2() { return false; }
std::shared_ptr<OutboundTransport> make_transport(TransportOptions) { throw_unsupported(); }

}  // namespace fw::client
