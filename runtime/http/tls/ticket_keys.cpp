#include "http/tls/ticket_keys.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <stdexcept>

#include "crypto/openssl.hpp"

namespace fw::http {
namespace {

constexpr std::chrono::hours kPeriod{8};

std::uint64_t current_period() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() / kPeriod);
}

int secret_index() {
  static const int kIndex = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return kIndex;
}

bool prepare_digest(EVP_MAC_CTX* digest, std::span<const unsigned char> key) {
  char name[] = "SHA256";
  const std::array<OSSL_PARAM, 3> parameters = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, const_cast<unsigned char*>(key.data()),
                                        key.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(digest, parameters.data()) == 1;
}

/// Called by OpenSSL; -1: an error, 0: the ticket is unknown, 1: it is good, 2: replace it.
int apply_ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                     EVP_MAC_CTX* digest, int encrypts) {
  const auto* secret =
      static_cast<const TicketSecret*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), secret_index()));
  if (secret == nullptr) return -1;
  const std::uint64_t now = current_period();
  if (encrypts != 0) {
    const auto keys = detail::ticket_keys(*secret, now);
    std::ranges::copy(keys.name, name);
    const bool is_ready =
        RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1 &&
        EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, keys.cipher.data(), iv) == 1 &&
        prepare_digest(digest, keys.digest);
    return is_ready ? 1 : -1;
  }
  for (const std::uint64_t period : {now, now - 1}) {
    const auto keys = detail::ticket_keys(*secret, period);
    if (std::memcmp(keys.name.data(), name, keys.name.size()) != 0) continue;
    const bool is_ready =
        prepare_digest(digest, keys.digest) &&
        EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, keys.cipher.data(), iv) == 1;
    if (!is_ready) return -1;
    return period == now ? 1 : 2;
  }
  return 0;
}

}  // namespace

TicketSecret make_ticket_secret() {
  TicketSecret secret;
  if (RAND_bytes(secret.data(), static_cast<int>(secret.size())) != 1) {
    throw std::runtime_error("the system has no random numbers");
  }
  return secret;
}

void use_ticket_secret(SSL_CTX& context, const TicketSecret& secret) {
  SSL_CTX_set_ex_data(&context, secret_index(), const_cast<TicketSecret*>(&secret));
  SSL_CTX_set_tlsext_ticket_key_evp_cb(&context, apply_ticket_key);
}

detail::TicketKeys detail::ticket_keys(const TicketSecret& secret, std::uint64_t period) {
  TicketKeys keys;
  const auto derive = [&](char purpose, std::span<unsigned char> target) {
    std::array<unsigned char, 9> input{static_cast<unsigned char>(purpose)};
    for (std::size_t i = 0; i < 8; ++i) {
      input[i + 1] = static_cast<unsigned char>(period >> (8 * i));
    }
    std::array<unsigned char, 32> output;
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), input.data(), input.size(),
         output.data(), nullptr);
    std::copy_n(output.begin(), target.size(), target.begin());
  };
  derive('n', keys.name);
  derive('c', keys.cipher);
  derive('d', keys.digest);
  return keys;
}

}  // namespace fw::http
