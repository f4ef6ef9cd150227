#include "support/certificates.hpp"

#include <cstdio>
#include <filesystem>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <stdexcept>

namespace fw::test {
namespace {

EVP_PKEY* make_key(int rsa_bits) {
  EVP_PKEY* key =
      rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(static_cast<unsigned>(rsa_bits));
  if (key == nullptr) throw std::runtime_error("OpenSSL cannot make a key");
  return key;
}

void add_extension(X509* certificate, int id, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
  if (extension == nullptr) throw std::runtime_error("OpenSSL refuses an extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void write_certificate(const std::string& path, X509* certificate, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  PEM_write_X509(file, certificate);
  std::fclose(file);
}

}  // namespace

TestCertificate::TestCertificate(const std::filesystem::path& folder, const std::string& file_name,
                                 const Options& options)
    : key_(make_key(options.rsa_bits), EVP_PKEY_free),
      certificate_(X509_new(), X509_free),
      certificate_file_((folder / (file_name + ".pem")).string()),
      key_file_((folder / (file_name + ".key.pem")).string()) {
  static long serial = 0;
  X509* const certificate = certificate_.get();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.begin.count() * 3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.end.count() * 3600);
  X509_set_pubkey(certificate, key_.get());
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(options.name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate,
                       options.issuer ? X509_get_subject_name(options.issuer->get()) : subject);
  add_extension(certificate, NID_subject_alt_name, "DNS:" + options.name);
  if (options.is_authority) add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate, options.issuer ? options.issuer->key_.get() : key_.get(), EVP_sha256());

  write_certificate(certificate_file_, certificate, "w");
  std::FILE* file = std::fopen(key_file_.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + key_file_);
  PEM_write_PrivateKey(file, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

void TestCertificate::append_to_file(const TestCertificate& other) const {
  write_certificate(certificate_file_, other.get(), "a");
}

}  // namespace fw::test
