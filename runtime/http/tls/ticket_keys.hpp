// The keys of session tickets, with which clients resume a session without a full handshake.
#pragma once

#include <array>
#include <cstdint>
#include <openssl/types.h>

namespace fw::http {

using TicketSecret = std::array<unsigned char, 32>;

/// A new secret. Throws std::runtime_error if the system has no random numbers.
TicketSecret make_ticket_secret();

/// Makes a context encrypt tickets with keys that are derived from the secret and change every
/// eight hours, so that processes that share the secret accept each other's tickets. A ticket of
/// the period before is accepted and replaced. `secret` must outlive the context.
void use_ticket_secret(SSL_CTX& context, const TicketSecret& secret);

namespace detail {

/// The keys of a period.
struct TicketKeys {
  std::array<unsigned char, 16> name;
  std::array<unsigned char, 32> cipher;
  std::array<unsigned char, 32> digest;
};
TicketKeys ticket_keys(const TicketSecret& secret, std::uint64_t period);

}  // namespace detail
}  // namespace fw::http
