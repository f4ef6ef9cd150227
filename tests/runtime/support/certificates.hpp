// Certificates for tests of TLS, in a temporary folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string>
#include <vector>

namespace fw::test {

/// A certificate with its private key, and their PEM files.
class TestCertificate {
 public:
  struct Options {
    std::string name = "localhost";           ///< the subject, and the only name
    const TestCertificate* issuer = nullptr;  ///< null: signed by itself
    bool is_authority = false;
    std::chrono::hours begin{-1};  ///< from now
    std::chrono::hours end{24 * 100};
    int rsa_bits = 0;  ///< 0: an elliptic curve
  };

  /// Writes NAME.pem and NAME.key.pem into `folder`.
  TestCertificate(const std::filesystem::path& folder, const std::string& file_name,
                  const Options& options);

  const std::string& certificate_file() const { return certificate_file_; }
  const std::string& key_file() const { return key_file_; }
  X509* get() const { return certificate_.get(); }
  /// Adds the certificate of the issuer, or any other, to the file.
  void append_to_file(const TestCertificate& other) const;

 private:
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
  std::string certificate_file_;
  std::string key_file_;
};

}  // namespace fw::test
