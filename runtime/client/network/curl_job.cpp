#include "client/network/curl_job.hpp"

#include <new>
#include <span>
#include <utility>

namespace fw::outbound {
namespace {

constexpr std::size_t kMostTrailerBytes = std::size_t{16} * 1024;

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

}  // namespace

CurlJob::CurlJob(Transfer& transfer, ConnectionPool& pool,
                 std::unique_ptr<CurlConnection> connection)
    : transfer_(transfer), pool_(pool), connection_(std::move(connection)) {}

// Delegates, so that the destructor returns the connection if the transfer cannot begin.
CurlJob::CurlJob(Transfer& transfer, ConnectionPool& pool, CurlSettings& settings)
    : CurlJob(transfer, pool, pool.take<CurlConnection>(transfer.request().url, settings)) {
  set_callbacks();
  set_method_and_body();
  set_fields();
  connection_->begin();
}

CurlJob::~CurlJob() {
  connection_->end();
  pool_.put(std::move(connection_), true);  // libcurl knows whether it is still connected
}

void CurlJob::perform() {
  if (pool_.is_stopped()) {
    transfer_.finish(OutboundFailure{.message = "the application has ended"});
  } else if (const auto code = connection_->perform()) {
    finish(*code);
  }
}

void CurlJob::set_callbacks() {
  CURL* const curl = connection_->easy();
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &CurlJob::on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &CurlJob::on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &CurlJob::on_connected);
  curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

void CurlJob::set_method_and_body() {
  CURL* const curl = connection_->easy();
  const OutboundRequest& request = transfer_.request();
  curl_easy_setopt(curl, CURLOPT_URL, request.url.text.c_str());
  // Replaces the settings of the transfer before.
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, nullptr);
  curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, nullptr);
  if (request.method == "HEAD") {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    return;
  }
  if (request.streams_body) {
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &CurlJob::on_read);
    curl_easy_setopt(curl, CURLOPT_READDATA, this);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, &CurlJob::on_seek);
    curl_easy_setopt(
        curl, CURLOPT_INFILESIZE_LARGE,
        request.body_size ? static_cast<curl_off_t>(*request.body_size) : curl_off_t{-1});
  } else if (request.body) {
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body->data());
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void CurlJob::set_fields() {
  const auto add = [&](const std::string& line) {
    curl_slist* const longer = curl_slist_append(fields_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)fields_.release();
    fields_.reset(longer);
  };
  // Without these, libcurl would add its own.
  add("Expect:");
  bool has_content_type = false;
  for (const auto& [name, value] : transfer_.request().fields) {
    has_content_type = has_content_type || name == "content-type";
    add(std::string(name).append(value.empty() ? ";" : ": ").append(value));
  }
  if (!has_content_type) add("Content-Type:");
  curl_easy_setopt(connection_->easy(), CURLOPT_HTTPHEADER, fields_.get());
}

std::size_t CurlJob::on_header(char* data, std::size_t size, std::size_t count, void* job) {
  auto& self = *static_cast<CurlJob*>(job);
  const std::size_t length = size * count;
  if (self.has_head_) {
    self.trailer_bytes_ += length;
    if (self.trailer_bytes_ <= kMostTrailerBytes) return length;
    self.own_error_ = "the trailer of the response is larger than 16 kB";
    return 0;
  }
  switch (self.parser_.add({data, length})) {
    case ResponseParser::State::incomplete:
    case ResponseParser::State::interim:
      return length;
    case ResponseParser::State::complete:
      self.has_head_ = true;
      self.transfer_.put_head(self.parser_.status(), std::move(self.parser_.fields()));
      return length;
    case ResponseParser::State::rejected:
      break;
  }
  self.own_error_ = self.parser_.error();
  return 0;
}

std::size_t CurlJob::on_body(char* data, std::size_t size, std::size_t count, void* job) {
  auto& self = *static_cast<CurlJob*>(job);
  if (!self.has_head_) {
    self.own_error_ = "the response has no head";
    return 0;
  }
  switch (self.transfer_.put_body({data, size * count})) {
    case Transfer::Put::taken:
      return size * count;
    case Transfer::Put::full:
      return CURL_WRITEFUNC_PAUSE;
    default:
      return 0;
  }
}

std::size_t CurlJob::on_read(char* data, std::size_t size, std::size_t count, void* job) {
  std::size_t taken = 0;
  switch (static_cast<CurlJob*>(job)->transfer_.take_body({data, size * count}, taken)) {
    case Transfer::Take::later:
      return CURL_READFUNC_PAUSE;
    case Transfer::Take::failed:
      return CURL_READFUNC_ABORT;
    default:
      return taken;
  }
}

int CurlJob::on_seek(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

/// libcurl automatically repeats a request if a reused connection ends without a response. This
/// prevents it, because OutboundCall decides about retries and logs them.
int CurlJob::on_connected(void* job, char*, char*, int, int) {
  auto& self = *static_cast<CurlJob*>(job);
  if (std::exchange(self.is_sent_, true)) {
    self.own_error_ = "the upstream has closed the connection without a response";
    return CURL_PREREQFUNC_ABORT;
  }
  return CURL_PREREQFUNC_OK;
}

void CurlJob::finish(CURLcode code) {
  if (code == CURLE_OK && has_head_) return transfer_.finish(std::nullopt);
  OutboundFailure failure;
  if (is_tls_error(code)) failure.kind = OutboundFailure::Kind::tls;
  if (!own_error_.empty()) {
    failure.message = own_error_;
  } else if (code == CURLE_OK) {
    failure.message = "the response has no head";
  } else {
    failure.message = connection_->describe(code);
  }
  transfer_.finish(std::move(failure));
}

}  // namespace fw::outbound
