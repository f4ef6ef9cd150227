#include <fmt/format.h>

#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <system_error>
#include <unistd.h>

#include "dev/tls_stream.hpp"
#include "files/user_error.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;

/// Browsers accept at most 398 days.
constexpr long kValidity = 397L * 24 * 60 * 60;
constexpr long kDay = 24L * 60 * 60;

template <auto free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using File = std::unique_ptr<FILE, Deleter<std::fclose>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

/// Every failure of the library here is one of memory or of its installation.
void require(bool is_success) {
  if (!is_success) throw UserError("--https: OpenSSL cannot make a certificate");
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool names(X509* certificate, const std::string& host) {
  return is_address(host)
             ? X509_check_ip_asc(certificate, host.c_str(), 0) == 1
             : X509_check_host(certificate, host.c_str(), host.size(), 0, nullptr) == 1;
}

bool is_usable(const LocalCertificate& files, const std::string& host) {
  const File certificate_file(std::fopen(files.certificate.c_str(), "re"));
  const File key_file(std::fopen(files.key.c_str(), "re"));
  if (!certificate_file || !key_file) return false;
  const Certificate certificate(PEM_read_X509(certificate_file.get(), nullptr, nullptr, nullptr));
  const Key key(PEM_read_PrivateKey(key_file.get(), nullptr, nullptr, nullptr));
  if (!certificate || !key || X509_check_private_key(certificate.get(), key.get()) != 1) {
    return false;
  }
  time_t tomorrow = std::time(nullptr) + kDay;
  return X509_cmp_time(X509_get0_notAfter(certificate.get()), &tomorrow) > 0 &&
         names(certificate.get(), host);
}

void add_extension(X509* certificate, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  require(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

Certificate make_certificate(EVP_PKEY* key, const std::string& host) {
  Certificate made(X509_new());
  require(made != nullptr && X509_set_version(made.get(), X509_VERSION_3) == 1);
  std::uint64_t serial = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1U) == 1);
  require(X509_gmtime_adj(X509_getm_notBefore(made.get()), -kDay) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(made.get()), kValidity - kDay) != nullptr);
  X509_NAME* const name = X509_get_subject_name(made.get());
  const auto add_name = [&](const char* part, const char* value) {
    require(X509_NAME_add_entry_by_txt(name, part, MBSTRING_ASC,
                                       reinterpret_cast<const unsigned char*>(value), -1, -1,
                                       0) == 1);
  };
  add_name("O", "fairway dev");
  add_name("CN", "localhost");
  require(X509_set_issuer_name(made.get(), name) == 1);
  require(X509_set_pubkey(made.get(), key) == 1);
  add_extension(made.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(made.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(made.get(), NID_ext_key_usage, "serverAuth");
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  const bool is_known = host == "localhost" || host == "127.0.0.1" || host == "::1";
  if (!is_known) names += fmt::format(",{}:{}", is_address(host) ? "IP" : "DNS", host);
  add_extension(made.get(), NID_subject_alt_name, names);
  require(X509_sign(made.get(), key, EVP_sha256()) > 0);
  return made;
}

/// A file that only its owner can read, for `write`.
template <class Write>
void write_file(const fs::path& path, const Write& write) {
  ::unlink(path.c_str());
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const File file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "w"));
  if (!file || write(file.get()) != 1 || std::fflush(file.get()) != 0) {
    throw UserError(fmt::format("--https: cannot write '{}'", path.string()));
  }
}

}  // namespace

LocalCertificate local_certificate(const fs::path& folder, const std::string& host) {
  LocalCertificate files{folder / "certificate.pem", folder / "key.pem"};
  if (is_usable(files, host)) return files;
  std::error_code error;
  fs::create_directories(folder, error);
  const Key key(EVP_EC_gen("P-256"));
  require(key != nullptr);
  const Certificate certificate = make_certificate(key.get(), host);
  write_file(files.key, [&](FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  write_file(files.certificate,
             [&](FILE* file) { return PEM_write_X509(file, certificate.get()); });
  files.is_new = true;
  return files;
}

}  // namespace fairway::dev
