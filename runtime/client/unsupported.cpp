// Replaces the outbound client in builds without libcurl.
#include <stdexcept>

#include "client/transfer.hpp"
#include "client/url.hpp"

namespace fw::outbound {
namespace {

[[noreturn]] void refuse() {
  throw std::logic_error(
      "this build of Fairway has no outbound client: configure it with FAIRWAY_FETCH, where "
      "libcurl "
      "is installed");
}

}  // namespace

Url parse_url(std::string_view) { refuse(); }
Url resolve_url(const Url&, std::string_view) { refuse(); }
std::shared_ptr<Transport> make_transport(TransportOptions) { refuse(); }

}  // namespace fw::outbound
