#include "client/network/trusted_certificates.hpp"

#include <cstdlib>

#include "client/network/curl_library.hpp"
#include "crypto/openssl.hpp"

namespace fw::client {

bool is_openssl_of_this_program(std::string_view backend) {
  // "OpenSSL/3.0.19"; in a libcurl with several backends, those that are not in use are in
  // parentheses. BoringSSL, LibreSSL and others, which have other structures, have other names.
  constexpr std::string_view kName = "OpenSSL/";
  if (!backend.starts_with(kName) || backend.find('(') != backend.npos) return false;
  const unsigned long major = OpenSSL_version_num() >> 28;
  const std::string version(backend.substr(kName.size()));
  return std::strtoul(version.c_str(), nullptr, 10) == major;
}

bool is_libcurl_with_openssl_of_this_program() {
  static const bool is_openssl = [] {
    const char* const backend = libcurl().version_info(CURLVERSION_NOW)->ssl_version;
    return backend != nullptr && is_openssl_of_this_program(backend);
  }();
  return is_openssl;
}

void TrustedCertificates::StoreDeleter::operator()(X509_STORE* store) const {
  X509_STORE_free(store);
}

void TrustedCertificates::use_for(CURL* curl) {
  if (!file_.empty()) libcurl().easy_setopt(curl, CURLOPT_CAINFO, file_.c_str());
  // Other TLS libraries have the option, too, but call the function with another type. They read
  // the certificates for each connection.
  if (!is_libcurl_with_openssl_of_this_program() ||
      libcurl().easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, &TrustedCertificates::configure) !=
          CURLE_OK) {
    return;
  }
  libcurl().easy_setopt(curl, CURLOPT_SSL_CTX_DATA, this);
  if (!store_) {  // the last attempt may have failed for want of a descriptor
    const char* system_file = nullptr;
    const char* directory = nullptr;
    libcurl().easy_getinfo(curl, CURLINFO_CAINFO, &system_file);
    libcurl().easy_getinfo(curl, CURLINFO_CAPATH, &directory);
    if (file_.empty()) {
      read(system_file, directory);
    } else {
      read(file_.c_str(), nullptr);
    }
  }
  libcurl().easy_setopt(curl, CURLOPT_CAINFO, nullptr);
  libcurl().easy_setopt(curl, CURLOPT_CAPATH, nullptr);
}

void TrustedCertificates::read(const char* file, const char* directory) {
  store_.reset(X509_STORE_new());
  if (!store_) return;
  const bool has_file = file != nullptr && X509_STORE_load_file(store_.get(), file) == 1;
  const bool has_directory =
      directory != nullptr && X509_STORE_load_path(store_.get(), directory) == 1;
  if (!has_file && !has_directory) store_.reset();
}

CURLcode TrustedCertificates::configure(CURL*, void* context, void* certificates) {
  X509_STORE* const store = static_cast<TrustedCertificates*>(certificates)->store_.get();
  if (store == nullptr) return CURLE_SSL_CACERT_BADFILE;
  SSL_CTX_set1_cert_store(static_cast<SSL_CTX*>(context), store);
  return CURLE_OK;
}

}  // namespace fw::client
