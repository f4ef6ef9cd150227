#include "client/network/curl_job.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <fcntl.h>
#include <new>
#include <sys/socket.h>

#include "base/ascii.hpp"
#include "client/network/trusted_certificates.hpp"
#include "client/public_address.hpp"
#include "compression/decoder.hpp"
#include "crypto/openssl.hpp"
#include "http/framing.hpp"
#include "http/response_head.hpp"

namespace fw::client {
namespace {

constexpr std::size_t kMaxTrailerBytes = std::size_t{16} * 1024;

/// What one read of libcurl may add to its buffer over HTTP/2: the decoded head, and what it reads
/// from a connection at a time.
constexpr long kMaxHttp2Unread = long{ResponseParser::kMaxHeadBytes} + 32 * 1024;

/// The size of the body; nothing if it is not known.
std::optional<std::uint64_t> body_size(const OutboundRequest& request) {
  if (request.streams_body) return request.body_size;
  return request.body ? request.body->size() : 0;
}

/// libcurl never sends a head that is too large for libnghttp2, and waits for the response. A body
/// must fit into the first window, because libcurl 7.88 receives nothing after the end of a
/// response that comes early: it waits for a window that does not come, or cuts the body off.
bool fits_in_http2(const OutboundRequest& request) {
  constexpr std::uint64_t kFirstWindow = 65'535;
  if (body_size(request).value_or(kFirstWindow + 1) > kFirstWindow) return false;
  constexpr std::size_t kMaxBytes = 60'000;  // of 64 kB; the rest is for what libcurl adds
  constexpr std::size_t kMaxOverhead = 12;   // of a field
  std::size_t size = request.url.text.size();
  for (const auto& [name, value] : request.fields) {
    size += name.size() + value.size() + kMaxOverhead;
  }
  return size <= kMaxBytes;
}

/// Whether client and server have agreed on HTTP/2 by ALPN. False if it cannot be known, because
/// the TLS library of libcurl is not the one of this program.
bool has_agreed_on_http2(CURL* curl) {
  curl_tlssessioninfo* info = nullptr;
  if (libcurl().easy_getinfo(curl, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == nullptr) {
    return false;
  }
  if (info->backend != CURLSSLBACKEND_OPENSSL || info->internals == nullptr) return false;
  if (!is_libcurl_with_openssl_of_this_program()) return false;
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(static_cast<const SSL*>(info->internals), &name, &size);
  return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
}

bool is_tls_error(CURLcode code) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_ENGINE_INITFAILED:
      return true;
    default:
      return false;
  }
}

/// Nothing if only the end of the body shows it.
std::optional<std::uint64_t> length_of_body(std::string_view method, ResponseParser& parser) {
  if (method == "HEAD" || !http::allows_body(parser.status())) return 0;
  http::Framing framing;
  if (http::parse_response_framing(parser.fields(), framing)) return std::nullopt;
  return framing.content_length;
}

/// The host, as it is looked up, and the port of a URL or of a proxy, which may have no scheme.
HostPort host_and_port(const std::string& url, const std::string& default_port) {
#ifdef CURLU_PUNYCODE
  constexpr unsigned kAsciiHost = CURLU_PUNYCODE;
#else
  constexpr unsigned kAsciiHost = 0;
#endif
  const UrlHandle parsed = new_url();
  constexpr unsigned kFlags = CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME;
  if (libcurl().url_set(parsed.get(), CURLUPART_URL, url.c_str(), kFlags) != CURLUE_OK) return {};
  HostPort result{.host = part_of(parsed.get(), CURLUPART_HOST, kAsciiHost),
                  .port = part_of(parsed.get(), CURLUPART_PORT)};
  if (result.port.empty()) result.port = default_port;
  return result;
}

/// Whether libcurl needs no look-up for the host: an address, or this machine (RFC 6761).
bool needs_no_lookup(std::string_view host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const std::string text(host);
  return host.starts_with('[') || inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         base::equal_ignoring_case(host, "localhost") ||
         (host.size() > 10 &&
          base::equal_ignoring_case(host.substr(host.size() - 10), ".localhost"));
}

/// Whether the name has no character that means something to CURLOPT_RESOLVE.
bool is_plain_name(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

void CurlJob::set_up(EasyHandle easy, CurlSettings& settings) {
  easy_ = std::move(easy);
  set_connection(settings);
  set_callbacks();
  set_method_and_body();
  set_fields();
}

void CurlJob::set_connection(CurlSettings& settings) {
  CURL* const curl = easy_.get();
  const OutboundRequest& request = transfer_->request();
  const bool is_direct = !request.url.unix_socket.empty() || request.only_public_addresses;
  const std::string& proxy = request.url.is_https() ? settings.https_proxy : settings.http_proxy;
  libcurl().easy_setopt(curl, CURLOPT_ERRORBUFFER, error_.data());
  libcurl().easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  libcurl().easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);  // cancelling does not wait for a resolver
  set_version(settings);
  libcurl().easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  libcurl().easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  libcurl().easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // libcurl counts whole seconds, and closes what was idle for more than that.
  const auto idle = std::chrono::ceil<std::chrono::seconds>(settings.options.longest_idle).count();
  libcurl().easy_setopt(curl, CURLOPT_MAXAGE_CONN, static_cast<long>(idle) - 1);
  libcurl().easy_setopt(curl, CURLOPT_URL, request.url.text.c_str());
  // A proxy would look up the name itself, and connect to any address.
  libcurl().easy_setopt(curl, CURLOPT_PROXY, is_direct ? "" : proxy.c_str());
  if (request.url.unix_socket.empty()) {
    if (!is_direct) proxy_ = proxy;
    libcurl().easy_setopt(curl, CURLOPT_RESOLVER_START_FUNCTION, &CurlJob::on_look_up);
    libcurl().easy_setopt(curl, CURLOPT_RESOLVER_START_DATA, this);
  }
  if (is_direct || proxy.empty()) {
    // Unlike the target that libcurl derives from the URL, this one keeps the bytes of the query.
    const std::string target(request.url.target());
    libcurl().easy_setopt(curl, CURLOPT_REQUEST_TARGET, target.c_str());
  }
  if (!request.url.unix_socket.empty()) {
    libcurl().easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, request.url.unix_socket.c_str());
  }
  if (request.needs_new_connection) libcurl().easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
  if (request.only_public_addresses) {
    libcurl().easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &CurlJob::on_open);
    libcurl().easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
  }
  if (!request.url.is_https()) return;
  const TransportOptions& tls = settings.options;
  if (!tls.certificate_file.empty()) {
    libcurl().easy_setopt(curl, CURLOPT_SSLCERT, tls.certificate_file.c_str());
  }
  if (!tls.key_file.empty()) libcurl().easy_setopt(curl, CURLOPT_SSLKEY, tls.key_file.c_str());
  settings.certificates.use_for(curl);
}

void CurlJob::set_version(const CurlSettings& settings) {
  CURL* const curl = easy_.get();
  const OutboundRequest& request = transfer_->request();
  if (!settings.options.http2 || !request.url.is_https() || request.needs_http_1 ||
      !fits_in_http2(request)) {
    libcurl().easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    return;
  }
  libcurl().easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  parser_.accept_http2();
  // If a read does not fit, libcurl 7.88 may not see the end of the body until more arrives.
  libcurl().easy_setopt(curl, CURLOPT_BUFFERSIZE, kMaxHttp2Unread);
  libcurl().easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &CurlJob::on_open);
  libcurl().easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
}

void CurlJob::set_callbacks() {
  CURL* const curl = easy_.get();
  libcurl().easy_setopt(curl, CURLOPT_HEADERFUNCTION, &CurlJob::on_header);
  libcurl().easy_setopt(curl, CURLOPT_HEADERDATA, this);
  libcurl().easy_setopt(curl, CURLOPT_WRITEFUNCTION, &CurlJob::on_body);
  libcurl().easy_setopt(curl, CURLOPT_WRITEDATA, this);
  libcurl().easy_setopt(curl, CURLOPT_PREREQFUNCTION, &CurlJob::on_connected);
  libcurl().easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

void CurlJob::set_method_and_body() {
  CURL* const curl = easy_.get();
  const OutboundRequest& request = transfer_->request();
  if (request.method == "HEAD") {
    libcurl().easy_setopt(curl, CURLOPT_NOBODY, 1L);
    return;
  }
  if (request.streams_body) {
    libcurl().easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    libcurl().easy_setopt(curl, CURLOPT_READFUNCTION, &CurlJob::on_read);
    libcurl().easy_setopt(curl, CURLOPT_READDATA, this);
    libcurl().easy_setopt(curl, CURLOPT_SEEKFUNCTION, &CurlJob::on_seek);
    libcurl().easy_setopt(
        curl, CURLOPT_INFILESIZE_LARGE,
        request.body_size ? static_cast<curl_off_t>(*request.body_size) : curl_off_t{-1});
  } else if (request.body) {
    libcurl().easy_setopt(curl, CURLOPT_POST, 1L);
    libcurl().easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                          static_cast<curl_off_t>(request.body->size()));
    libcurl().easy_setopt(curl, CURLOPT_POSTFIELDS, request.body->data());
  }
  libcurl().easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void CurlJob::set_fields() {
  const auto add = [&](const std::string& line) {
    curl_slist* const longer = libcurl().slist_append(fields_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)fields_.release();
    fields_.reset(longer);
  };
  const http::Fields& fields = transfer_->request().fields;
  // Without these, libcurl would add its own.
  add("Expect:");
  if (!fields.find("content-type")) add("Content-Type:");
  for (const auto& [name, value] : fields) {
    add(std::string(name).append(value.empty() ? ";" : ": ").append(value));
  }
  // The body is decoded by its reader, whose thread may take its time.
  if (!fields.find("accept-encoding")) {
    add(std::string("Accept-Encoding: ").append(compression::decodable_codings()));
  }
  libcurl().easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, fields_.get());
}

/// When libcurl has found neither a connection that it can use nor the addresses of the host. It
/// would start a thread for each look-up.
int CurlJob::on_look_up(void*, void*, void* job) {
  auto& self = *static_cast<CurlJob*>(job);
  const std::string proxy(self.proxy_);
  if (proxy.starts_with("socks")) return 0;  // its own host, or the one of the URL
  if (self.is_sent_) {
    self.note_repetition();
    return 1;
  }
  if (proxy.empty()) {
    self.peer_ = host_and_port(self.transfer_->request().url.origin, "");
  } else {
    self.peer_ = host_and_port(proxy, proxy.starts_with("https:") ? "443" : "1080");
  }
  const std::string& host = self.peer_.host;
  if (needs_no_lookup(host)) return 0;
  if (self.addresses_ || !is_plain_name(host)) {
    self.own_error_ = "Could not resolve host: " + host;
  } else {
    self.wanted_host_ = host;
  }
  return 1;
}

void CurlJob::set_addresses(const std::vector<std::string>& addresses) {
  // With the plus sign, libcurl keeps them for as long as others that it has looked up.
  std::string entry = "+" + peer_.host + ":" + peer_.port + ":";
  for (const std::string& address : addresses) {
    if (entry.back() != ':') entry += ',';
    const bool is_ipv6 = address.find(':') != std::string::npos;
    entry.append(is_ipv6 ? "[" : "").append(address).append(is_ipv6 ? "]" : "");
  }
  addresses_.reset(libcurl().slist_append(nullptr, entry.c_str()));
  if (!addresses_) throw std::bad_alloc();
  wanted_host_.clear();
  error_[0] = '\0';
  libcurl().easy_setopt(easy_.get(), CURLOPT_RESOLVE, addresses_.get());
}

void CurlJob::resume() {
  if (easy_) libcurl().easy_pause(easy_.get(), CURLPAUSE_CONT);
}

std::size_t CurlJob::on_header(char* data, std::size_t size, std::size_t count, void* job) {
  auto& self = *static_cast<CurlJob*>(job);
  const std::size_t length = size * count;
  self.note_received();
  if (self.has_head_) {
    self.trailer_bytes_ += length;
    if (self.trailer_bytes_ <= kMaxTrailerBytes) return length;
    return self.reject("the trailer of the response is larger than 16 kB");
  }
  switch (self.parser_.add({data, length})) {
    case ResponseParser::State::incomplete:
    case ResponseParser::State::interim:
      return length;
    case ResponseParser::State::complete:
      self.length_ = length_of_body(self.transfer_->request().method, self.parser_);
      self.has_head_ = self.has_news_ = true;
      self.transfer_->put_head(self.parser_.status(), std::move(self.parser_.fields()),
                               self.parser_.http_version());
      return length;
    case ResponseParser::State::rejected:
      break;
  }
  return self.reject(self.parser_.error());
}

std::size_t CurlJob::on_body(char* data, std::size_t size, std::size_t count, void* job) {
  auto& self = *static_cast<CurlJob*>(job);
  if (!self.has_head_) return self.reject("the response has no head");
  self.note_received();
  self.has_news_ = true;
  switch (self.transfer_->put_body({data, size * count})) {
    case Transfer::Put::taken:
      self.received_ += size * count;
      return size * count;
    case Transfer::Put::full:
      return CURL_WRITEFUNC_PAUSE;
    default:
      return self.reject("");
  }
}

void CurlJob::note_received() {
  has_received_ = true;
  has_received_by_tls_ = transfer_->request().url.is_https() || proxy_.starts_with("https:");
}

/// What a callback returns to end the transfer.
std::size_t CurlJob::reject(std::string_view why) {
  own_error_ = why;
  forbid_reuse();
  return 0;
}

std::size_t CurlJob::on_read(char* data, std::size_t size, std::size_t count, void* job) {
  auto& self = *static_cast<CurlJob*>(job);
  std::size_t taken = 0;
  switch (self.transfer_->take_body({data, size * count}, taken)) {
    case Transfer::Take::later:
      self.has_news_ = true;
      return CURL_READFUNC_PAUSE;
    case Transfer::Take::failed:
      self.forbid_reuse();
      return CURL_READFUNC_ABORT;
    default:
      return taken;
  }
}

int CurlJob::on_seek(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

/// Before the request is sent. An idle connection may have been opened for a call that may connect
/// to any address. libcurl repeats a request if a reused connection ends without a response, even a
/// POST; this prevents it, because OutboundCall decides about retries and logs them.
int CurlJob::on_connected(void* job, char* address, char*, int, int) {
  auto& self = *static_cast<CurlJob*>(job);
  if (self.transfer_->request().only_public_addresses && !is_public_address(address)) {
    self.has_rejected_address_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (std::exchange(self.is_sent_, true)) {
    self.note_repetition();
    return CURL_PREREQFUNC_ABORT;
  }
  long connections = 0;
  libcurl().easy_getinfo(self.easy(), CURLINFO_NUM_CONNECTS, &connections);
  self.is_reused_ = connections == 0;
  self.is_http2_ = self.transfer_->request().url.is_https() && has_agreed_on_http2(self.easy());
  return CURL_PREREQFUNC_OK;
}

/// When libcurl begins to repeat the request: after the end of a connection that was used before,
/// for which it has a message; after REFUSED_STREAM, also of a stream that GOAWAY excludes, without
/// one; or by HTTP/1.1, after HTTP_1_1_REQUIRED, whose message it may have replaced. None of these
/// has been processed (RFC 9113, 8.7).
void CurlJob::note_repetition() {
  if (!is_http2_ || has_received_ || rejection_) return;
  const std::string_view message = error_.data();
  if (message.empty()) {
    rejection_ = OutboundFailure::Kind::refused;
  } else if (message.find("HTTP_1_1_REQUIRED") != message.npos ||
             message == "Empty reply from server") {
    rejection_ = OutboundFailure::Kind::needs_http_1;
  }
}

/// For each address of the host, after its name has been looked up.
curl_socket_t CurlJob::on_open(void* job, curlsocktype, curl_sockaddr* address) {
  auto& self = *static_cast<CurlJob*>(job);
  if (self.is_sent_) {
    self.note_repetition();
    return CURL_SOCKET_BAD;
  }
  if (self.transfer_->request().only_public_addresses && !is_public_address(address->addr)) {
    self.has_rejected_address_ = true;
    return CURL_SOCKET_BAD;
  }
  self.has_opened_ = true;
  const int descriptor = ::socket(address->family, address->socktype, address->protocol);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

void CurlJob::finish(CURLcode code) {
  has_news_ = true;
  if (code == CURLE_OK && has_head_) return transfer_->finish(std::nullopt);
  if (is_only_request_cut_off(code)) return transfer_->finish(std::nullopt);
  // GOAWAY has excluded all streams of the connection, which libcurl then does not repeat.
  if (code == CURLE_HTTP2 && error_[0] == '\0') note_repetition();
  transfer_->finish(failure(code));
}

/// Whether the upstream has sent its whole response and then ended the connection: it does not want
/// the rest of the request (RFC 9112, 9.5).
bool CurlJob::is_only_request_cut_off(CURLcode code) const {
  return code == CURLE_SEND_ERROR && has_request_body() && has_whole_response();
}

OutboundFailure CurlJob::failure(CURLcode code) const {
  using Kind = OutboundFailure::Kind;
  if (has_rejected_address_ && !has_opened_) {
    return {.kind = Kind::address, .message = "the host has no public address"};
  }
  if (!own_error_.empty()) return {.kind = Kind::network, .message = own_error_};
  if (rejection_ == Kind::refused)
    return {.kind = *rejection_, .message = "the upstream has refused the request"};
  if (rejection_) return {.kind = *rejection_, .message = "the upstream requires HTTP/1.1"};
  if (is_sent_ && !has_received_ && code != CURLE_HTTP2_STREAM) {
    std::string message = "the upstream has closed the connection without a response";
    if (code == CURLE_RECV_ERROR && error_[0] != '\0') message.append(": ").append(error_.data());
    return {.kind = is_reused_ ? Kind::stale : Kind::network, .message = std::move(message)};
  }
  if (code == CURLE_OK) return {.kind = Kind::network, .message = "the response has no head"};
  return {.kind = is_tls_error(code) ? Kind::tls : Kind::network,
          .message = error_[0] != '\0' ? error_.data() : libcurl().easy_strerror(code)};
}

void CurlJob::fail(std::string why) {
  transfer_->finish(OutboundFailure{.message = std::move(why)});
  transfer_->notify();
}

bool CurlJob::has_request_body() const {
  const OutboundRequest& request = transfer_->request();
  return request.streams_body || body_size(request) != 0;
}

bool CurlJob::has_whole_response() const { return has_head_ && received_ == length_; }

bool CurlJob::has_body_size() const { return body_size(transfer_->request()).has_value(); }

/// Returns whether something has changed, which the transfer knows then.
bool CurlJob::update_progress() {
  if (!has_request_body() || !has_head_ || progress_.has_sent_request) return false;
  // Without a size, libcurl counts the framing of chunks, too.
  const std::optional<std::uint64_t> size = body_size(transfer_->request());
  Transfer::Progress progress;
  curl_off_t sent = 0;
  libcurl().easy_getinfo(easy(), CURLINFO_SIZE_UPLOAD_T, &sent);
  progress.sent = static_cast<std::uint64_t>(sent);
  progress.knows_sent_request = size.has_value();
  progress.has_sent_request = size && progress.sent >= *size;
  progress.has_whole_response = has_whole_response();
  if (knows_progress_ && progress == progress_) return false;
  knows_progress_ = true;
  progress_ = progress;
  transfer_->put_progress(progress_);
  return true;
}

void CurlJob::notify() {
  if (update_progress()) has_news_ = true;
  if (std::exchange(has_news_, false)) transfer_->notify();
}

}  // namespace fw::client
