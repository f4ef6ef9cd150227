// Password hashes.
#pragma once

#include <optional>
#include <string>

/// Argon2id by libsodium, with its parameters for interactive use: 64 MB and a few tenths of a
/// second for each password. Thread-safe.
class Passwords {
 public:
  /// Throws std::runtime_error if the library cannot be used.
  Passwords();

  /// The hash, with its parameters and a random salt. Throws std::runtime_error without memory.
  std::string hash(const std::string& password) const;
  /// Takes as long for an account that does not exist, so that nobody learns which ones do.
  bool verify(const std::optional<std::string>& hash, const std::string& password) const;

 private:
  std::string hash_of_nobody_;
};
