// What a Redis server sends: whatever it is, calls of the store return or throw StoreError. The
// input is sent to a store in reply to its first command, and the connection closed.
#include <fairway/store.hpp>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "fuzz.hpp"

namespace {

/// A server on a unix socket. It is never stopped: the fuzzer ends with the process.
class Peer {
 public:
  Peer() {
    char pattern[] = "/tmp/fairway-fuzz-XXXXXX";
    fuzz::require(mkdtemp(pattern) != nullptr);
    path_ = std::string(pattern) + "/redis.sock";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fuzz::require(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
                  0);
    fuzz::require(::listen(listener_, 8) == 0);
  }

  std::string url() const { return "unix://" + path_; }

  /// For the next connection.
  void respond(std::string_view bytes) const {
    const int client = ::accept(listener_, nullptr, nullptr);
    char command[4096];
    if (::recv(client, command, sizeof command, 0) > 0) {
      ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    ::shutdown(client, SHUT_WR);
    while (::recv(client, command, sizeof command, 0) > 0) {
    }
    ::close(client);
  }

 private:
  std::string path_;
  int listener_ = -1;
};

const Peer& peer() {
  static const Peer the_peer;
  return the_peer;
}

/// hiredis reserves address space for as many items as an array announces.
bool announces_much(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    if (digits > 5) return true;
  }
  return false;
}

void use(fw::Store& store, std::size_t operation) {
  using namespace std::chrono_literals;
  switch (operation % 6) {
    case 0:
      store.get("a");
      return;
    case 1:
      store.set("a", "b", 1s);
      return;
    case 2:
      store.set_if_absent("a", "b", 1s);
      return;
    case 3:
      store.increment("a", 1s, 5);
      return;
    case 4:
      store.erase("a");
      return;
    default:
      store.erase_tagged("a");
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (text.empty() || announces_much(text)) return 0;
  std::thread server([text] { peer().respond(text.substr(1)); });
  {
    const auto store = fw::redis_store({.url = peer().url(), .timeout = 500, .connections = 1});
    try {
      use(*store, static_cast<unsigned char>(text.front()));
    } catch (const fw::StoreError&) {
      // As the interface says.
    }
  }
  server.join();
  return 0;
}
