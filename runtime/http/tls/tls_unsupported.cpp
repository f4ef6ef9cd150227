// Without FAIRWAY_TLS; the configuration rejects `server.tls` before this is used.
#include "http/tls/tls_server.hpp"

namespace fw::http {

std::shared_ptr<SecureServer> make_tls_server(const TlsConfig&, int, TlsReport,
                                              std::vector<TlsError>& errors, bool) {
  errors.push_back({"", "this build of Fairway has no TLS"});
  return nullptr;
}

std::vector<std::string> describe_certificates(const TlsConfig&) { return {}; }

FileDescriptor make_ticket_secret_file() { return {}; }

bool has_tls() { return false; }

void request_certificate_reload() noexcept {}

}  // namespace fw::http
