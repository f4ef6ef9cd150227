#include "http/tls/tls_server.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/ascii.hpp"
#include "crypto/openssl.hpp"
#include "http/tls/certificate.hpp"
#include "http/tls/ticket_keys.hpp"
#include "http/tls/tls_channel.hpp"

namespace fw::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kCheckInterval{2};
constexpr std::chrono::hours kDay{24};
constexpr std::chrono::hours kWarnedBeforeEnd = 14 * kDay;

/// The ciphers of TLS 1.2: with forward secrecy and authenticated encryption only.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

/// Without finite fields of thousands of bits, whose computation a client could ask for.
constexpr const char* kGroups = "X25519:P-256:P-384";

std::atomic<unsigned> g_reload_requests{0};
static_assert(std::atomic<unsigned>::is_always_lock_free, "needed in a signal handler");

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = base::to_lower(c);
  return result;
}

/// The certificates at one time. Connections keep the one that they have begun with.
struct Certificates {
  SslContext standard;
  std::map<std::string, SslContext, std::less<>> hosts;

  SSL_CTX* find(std::string_view name) const {
    const std::string host = lower(name);
    if (const auto found = hosts.find(host); found != hosts.end()) return found->second.get();
    const auto dot = host.find('.');
    if (dot == std::string::npos) return standard.get();
    const auto wildcard = hosts.find("*" + host.substr(dot));
    return wildcard != hosts.end() ? wildcard->second.get() : standard.get();
  }
};

int choose_certificate(SSL* ssl, int*, void* argument) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_SSL_CTX(ssl, static_cast<const Certificates*>(argument)->find(name));
  return SSL_TLSEXT_ERR_OK;
}

/// The protocols that a server offers, the preferred one first.
using Protocols = std::span<const std::string_view>;
constexpr std::array<std::string_view, 2> kProtocols = {"h2", "http/1.1"};
constexpr Protocols kWithHttp2 = kProtocols;
constexpr Protocols kWithoutHttp2 = kWithHttp2.last(1);

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void* protocols) {
  const std::string_view list(reinterpret_cast<const char*>(offered), offered_size);
  for (const std::string_view protocol : *static_cast<const Protocols*>(protocols)) {
    for (std::size_t at = 0; at < list.size();) {
      const auto length = static_cast<unsigned char>(list[at]);
      if (list.substr(at + 1, length) == protocol) {
        *chosen = offered + at + 1;
        *size = length;
        return SSL_TLSEXT_ERR_OK;
      }
      at += std::size_t{length} + 1;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

SslContext make_context(const TlsConfig& config, const TicketSecret& secret, bool offers_http2) {
  SslContext context(SSL_CTX_new(TLS_server_method()));
  if (!context) throw std::bad_alloc();
  SSL_CTX* const ctx = context.get();
  SSL_CTX_set_min_proto_version(ctx, config.min_version == "1.3" ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(ctx, 1);
  SSL_CTX_set_security_level(ctx, 2);
  SSL_CTX_set_cipher_list(ctx, kCiphers);
  SSL_CTX_set1_groups_list(ctx, kGroups);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);  // tickets need no memory here
  static constexpr std::string_view kApplication = "fairway";
  SSL_CTX_set_session_id_context(ctx, reinterpret_cast<const unsigned char*>(kApplication.data()),
                                 kApplication.size());
  const Protocols& protocols = offers_http2 ? kWithHttp2 : kWithoutHttp2;
  SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, const_cast<Protocols*>(&protocols));
  if (config.client_certificates.is_enabled()) {
    // A resumed session would have a certificate that is not verified again.
    SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(ctx, 0);
  } else {
    use_ticket_secret(*ctx, secret);
  }
  return context;
}

/// Calls `visit(pointer, files)` for each certificate of the options.
template <class Visit>
void for_each_certificate(const TlsConfig& config, Visit visit) {
  visit(std::string(), TlsCertificateConfig{config.certificate, config.key});
  for (const auto& [host, files] : config.hosts) visit("/hosts/" + host, files);
}

std::shared_ptr<Certificates> load(const TlsConfig& config, const TicketSecret& secret,
                                   bool offers_http2, std::vector<TlsError>& errors) {
  auto loaded = std::make_shared<Certificates>();
  const TlsClientCertificatesConfig& clients = config.client_certificates;
  std::optional<std::string> problem_of_clients;
  for_each_certificate(config, [&](const std::string& pointer, const TlsCertificateConfig& files) {
    SslContext context = make_context(config, secret, offers_http2);
    for (const auto& error : load_certificate(*context, files)) {
      errors.push_back({fmt::format("{}/{}", pointer, error.member), error.message});
    }
    if (clients.is_enabled()) problem_of_clients = ask_for_certificates(*context, clients);
    if (pointer.empty()) {
      loaded->standard = std::move(context);
    } else {
      loaded->hosts.emplace(lower(pointer.substr(std::string_view("/hosts/").size())),
                            std::move(context));
    }
  });
  if (problem_of_clients) errors.push_back({"/clientCertificates/ca", *problem_of_clients});
  SSL_CTX_set_tlsext_servername_callback(loaded->standard.get(), choose_certificate);
  SSL_CTX_set_tlsext_servername_arg(loaded->standard.get(), loaded.get());
  return loaded;
}

/// What tells a changed file from an unchanged one; equal for files that do not exist.
struct FileState {
  ino_t inode = 0;
  off_t size = 0;
  timespec changed{};

  bool operator==(const FileState& other) const {
    return inode == other.inode && size == other.size && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};

std::vector<FileState> state_of_files(const TlsConfig& config) {
  std::vector<FileState> states;
  const auto add = [&](const std::string& path) {
    struct stat status{};
    FileState& state = states.emplace_back();
    if (stat(path.c_str(), &status) != 0) return;
    state.inode = status.st_ino;
    state.size = status.st_size;
#ifdef __APPLE__
    state.changed = status.st_mtimespec;
#else
    state.changed = status.st_mtim;
#endif
  };
  for_each_certificate(config, [&](const std::string&, const TlsCertificateConfig& files) {
    add(files.certificate);
    add(files.key);
  });
  add(config.client_certificates.ca);
  return states;
}

class TlsServer final : public SecureServer {
 public:
  TlsServer(const TlsConfig& config, TlsReport report, const TicketSecret& secret,
            bool offers_http2)
      : config_(config),
        offers_http2_(offers_http2),
        report_(std::move(report)),
        secret_(std::make_unique<TicketSecret>(secret)) {}

  bool start(std::vector<TlsError>& errors) {
    seen_ = used_ = state_of_files(config_);
    auto loaded = load(config_, *secret_, offers_http2_, errors);
    if (!errors.empty()) return false;
    use(std::move(loaded));
    warn_of_ends();
    return true;
  }

  std::unique_ptr<SecureChannel> accept(int fd) override {
    std::shared_ptr<const Certificates> certificates;
    {
      const std::lock_guard lock(mutex_);
      certificates = current_;
    }
    SSL_CTX* const context = certificates->standard.get();
    return std::make_unique<TlsChannel>(std::move(certificates), context, fd);
  }

  void refresh() noexcept override {
    const auto now = Clock::now();
    const unsigned requests = g_reload_requests.load();
    const bool is_requested = requests != seen_requests_;
    if (!is_requested && now < next_check_) return;
    next_check_ = now + kCheckInterval;
    seen_requests_ = requests;
    try {
      auto state = state_of_files(config_);
      // A file that is being written changes again.
      const bool is_settled = state == seen_;
      seen_ = state;
      if (is_requested || (is_settled && state != used_)) {
        used_ = std::move(state);
        reload();
      }
      if (now >= next_warning_) warn_of_ends();
    } catch (const std::exception& error) {
      report_.warn(fmt::format("certificates could not be checked: {}", error.what()));
    }
  }

 private:
  void use(std::shared_ptr<const Certificates> certificates) {
    const std::lock_guard lock(mutex_);
    current_.swap(certificates);
  }

  void reload() {
    std::vector<TlsError> errors;
    auto loaded = load(config_, *secret_, offers_http2_, errors);
    if (errors.empty()) {
      use(std::move(loaded));
      report_.inform("the certificates have been loaded again; new connections use them");
      warn_of_ends();
      return;
    }
    for (const TlsError& error : errors) {
      report_.warn(fmt::format("the earlier certificates stay in use: /server/tls{}: {}",
                               error.pointer, error.message));
    }
  }

  void warn_of_ends() {
    next_warning_ = Clock::now() + kDay;
    const auto warn = [&](const SSL_CTX& context) {
      const CertificateFacts facts = facts_of(context);
      const auto left = facts.end - std::chrono::system_clock::now();
      if (left > kWarnedBeforeEnd) return;
      const auto days = std::chrono::floor<std::chrono::hours>(left).count() / 24;
      report_.warn(left.count() < 0 ? fmt::format("the certificate of {} has expired on {}",
                                                  facts.subject, date_of(facts.end))
                                    : fmt::format("the certificate of {} expires on {}, in {} days",
                                                  facts.subject, date_of(facts.end), days));
    };
    warn(*current_->standard);
    for (const auto& [host, context] : current_->hosts) warn(*context);
  }

  const TlsConfig config_;
  const bool offers_http2_;
  const TlsReport report_;
  const std::unique_ptr<const TicketSecret> secret_;  ///< the contexts refer to it
  std::mutex mutex_;                                  ///< guards current_
  std::shared_ptr<const Certificates> current_;
  // Used by the thread that refreshes:
  std::vector<FileState> seen_;  ///< at the last check
  std::vector<FileState> used_;  ///< when the files were last loaded
  Clock::time_point next_check_ = Clock::now() + kCheckInterval;
  Clock::time_point next_warning_;
  unsigned seen_requests_ = g_reload_requests.load();
};

TicketSecret secret_in(int file) {
  TicketSecret secret;
  if (pread(file, secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot read the secret of session tickets");
  }
  return secret;
}

}  // namespace

std::shared_ptr<SecureServer> make_tls_server(const TlsConfig& config, int ticket_secret,
                                              TlsReport report, std::vector<TlsError>& errors,
                                              bool offers_http2) {
  const TicketSecret secret = ticket_secret < 0 ? make_ticket_secret() : secret_in(ticket_secret);
  auto server = std::make_shared<TlsServer>(config, std::move(report), secret, offers_http2);
  if (!server->start(errors)) return nullptr;
  return server;
}

std::vector<std::string> describe_certificates(const TlsConfig& config) {
  std::vector<std::string> lines;
  if (!config.is_enabled()) return lines;
  try {
    crypto::prepare_openssl(true);
  } catch (const std::runtime_error& error) {
    lines.emplace_back(error.what());
    return lines;
  }
  for_each_certificate(config, [&](const std::string&, const TlsCertificateConfig& files) {
    const SslContext context(SSL_CTX_new(TLS_server_method()));
    const auto errors = load_certificate(*context, files);
    if (errors.empty()) {
      const CertificateFacts facts = facts_of(*context);
      lines.push_back(fmt::format("{}: {}, for {}, valid until {}", files.certificate,
                                  facts.subject, fmt::join(facts.names, ", "), date_of(facts.end)));
    }
    for (const auto& error : errors) lines.push_back(error.message);
  });
  if (!config.client_certificates.is_enabled()) return lines;
  const SslContext context(SSL_CTX_new(TLS_server_method()));
  if (auto problem = ask_for_certificates(*context, config.client_certificates)) {
    lines.push_back(std::move(*problem));
    return lines;
  }
  for (const CertificateFacts& facts : facts_of_authorities(*context)) {
    lines.push_back(fmt::format("{}: {}, an authority of clients, valid until {}",
                                config.client_certificates.ca, facts.subject, date_of(facts.end)));
  }
  return lines;
}

FileDescriptor make_ticket_secret_file() {
#ifdef __linux__
  const TicketSecret secret = make_ticket_secret();
  FileDescriptor file(memfd_create("fairway-tickets", MFD_CLOEXEC));
  if (!file ||
      pwrite(file.get(), secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot store the secret of session tickets");
  }
  return file;
#else
  return {};
#endif
}

bool has_tls() { return true; }

void request_certificate_reload() noexcept { g_reload_requests.fetch_add(1); }

}  // namespace fw::http
