#include "server_under_test.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace e2e {
namespace {

std::optional<std::string> ask_socket(int descriptor, const sockaddr* address, socklen_t size,
                                      std::string_view method, std::string_view target,
                                      bool* is_rejected = nullptr, std::string_view fields = {}) {
  const timeval timeout{60, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  std::optional<std::string> response;
  const bool is_connected = connect(descriptor, address, size) == 0;
  if (is_rejected != nullptr) *is_rejected = !is_connected;
  if (is_connected) {
    const std::string request = std::string(method) + " " + std::string(target) +
                                " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
                                std::string(fields) + "\r\n";
    std::string text;
    if (send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
      char buffer[4096];
      // A child that ends interrupts.
      const auto receive = [&] {
        ssize_t count = 0;
        do {
          count = recv(descriptor, buffer, sizeof buffer, 0);
        } while (count < 0 && errno == EINTR);
        return count;
      };
      for (ssize_t count = 0; (count = receive()) > 0;) {
        text.append(buffer, static_cast<std::size_t>(count));
      }
    }
    const bool is_whole = text.ends_with('}') || text.ends_with('\n');  // JSON, or metrics
    if (text.find("\r\n\r\n") != std::string::npos && is_whole) response = text;
  }
  close(descriptor);
  return response;
}

}  // namespace

std::optional<std::string> ask(int port, std::string_view method, std::string_view target,
                               bool* is_rejected, std::string_view fields) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ask_socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                    reinterpret_cast<const sockaddr*>(&address), sizeof address, method, target,
                    is_rejected, fields);
}

std::optional<std::string> ask_path(const std::string& socket_path, std::string_view target) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, socket_path.c_str());
  return ask_socket(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                    reinterpret_cast<const sockaddr*>(&address), sizeof address, "GET", target);
}

int status_of(const std::optional<std::string>& response) {
  return response ? std::stoi(response->substr(response->find(' ') + 1)) : 0;
}

fw::Json data_of(const std::string& response) {
  return fw::Json::parse(response.substr(response.find("\r\n\r\n") + 4)).at("data");
}

bool is_alive(pid_t pid) {
  // One that has ended and that nobody has waited for is no longer alive.
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

ServerUnderTest::ServerUnderTest(const fw::Json& config, int port)
    : port_((configure(config), port)),
      process_(FAIRWAY_CLUSTER_PROGRAM, {"--host", "127.0.0.1", "--port", std::to_string(port)},
               directory_.path()) {}

void ServerUnderTest::configure(const fw::Json& config) const {
  directory_.write("config/default.json", config.dump());
}

int ServerUnderTest::count_in_log(std::string_view text) const {
  const std::string all = log();
  int count = 0;
  for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++count;
  return count;
}

bool ServerUnderTest::wait_for_log(std::string_view text, int times) const {
  bool has_text = false;
  eventually([&] {
    const bool runs = process_.running();
    has_text = count_in_log(text) >= times;
    return has_text || !runs;
  });
  return has_text;
}

fw::Json ServerUnderTest::who() const {
  const auto response = ask(port_, "GET", "/who");
  return response ? data_of(*response) : fw::Json::object();
}

std::set<pid_t> ServerUnderTest::workers(std::size_t count) const {
  std::set<pid_t> pids;
  eventually([&] {
    const auto response = who();
    if (response.contains("pid")) pids.insert(response.at("pid").get<pid_t>());
    return pids.size() >= count;
  });
  return pids;
}

}  // namespace e2e
