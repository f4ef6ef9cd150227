#include "crypto/digests.hpp"

#include <memory>
#include <new>

#include "crypto/openssl.hpp"

namespace fw::crypto {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Fetched once, because a lookup takes longer than the digest of a short string.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (algorithm == nullptr) throw std::bad_alloc();  // the only possible failure, as below
  return algorithm;
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

Digest sha256(std::string_view text) {
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  Digest digest{};
  if (!context || EVP_DigestInit_ex(context.get(), sha256_algorithm(), nullptr) != 1 ||
      EVP_DigestUpdate(context.get(), text.data(), text.size()) != 1 ||
      EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  Digest digest{};
  if (HMAC(sha256_algorithm(), key.data(), static_cast<int>(key.size()), bytes_of(text),
           text.size(), digest.data(), nullptr) == nullptr) {
    throw std::bad_alloc();
  }
  return digest;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace fw::crypto
