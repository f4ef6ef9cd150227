#include "services/passwords.hpp"

#include <array>
#include <sodium.h>
#include <stdexcept>

Passwords::Passwords() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialized");
  hash_of_nobody_ = hash("the password of nobody");
}

std::string Passwords::hash(const std::string& password) const {
  std::array<char, crypto_pwhash_STRBYTES> text{};
  if (crypto_pwhash_str(text.data(), password.data(), password.size(),
                        crypto_pwhash_OPSLIMIT_INTERACTIVE,
                        crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0) {
    throw std::runtime_error("there is not enough memory to hash a password");
  }
  return text.data();
}

bool Passwords::verify(const std::optional<std::string>& hash, const std::string& password) const {
  const std::string& expected = hash ? *hash : hash_of_nobody_;
  const bool is_equal =
      crypto_pwhash_str_verify(expected.c_str(), password.data(), password.size()) == 0;
  return is_equal && hash.has_value();
}
