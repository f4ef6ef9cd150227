// libmicrohttpd with its epoll loop and a thread pool.
#include <cstring>
#include <memory>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string>
#include <unistd.h>

#include "workload.hpp"

namespace {

MHD_Result send(MHD_Connection* connection, unsigned status, std::string body,
                const char* type = "application/json") {
  auto* response = MHD_create_response_from_buffer(body.size(), body.data(), MHD_RESPMEM_MUST_COPY);
  MHD_add_response_header(response, "Content-Type", type);
  const auto result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

ssize_t read_stream(void*, std::uint64_t position, char* buffer, std::size_t max) {
  constexpr std::uint64_t kSize = bench::kPiece * bench::kPieces;
  if (position >= kSize) return MHD_CONTENT_READER_END_OF_STREAM;
  const auto size = std::min<std::uint64_t>(max, kSize - position);
  std::memset(buffer, 'x', size);
  return static_cast<ssize_t>(size);
}

MHD_Result handle(void*, MHD_Connection* connection, const char* url, const char* method,
                  const char*, const char* data, std::size_t* size, void** state) {
  auto* body = static_cast<std::string*>(*state);
  if (body == nullptr) {
    // A response to the first call, which has the head only, would be the connection's last.
    *state = new std::string;
    return MHD_YES;
  }
  if (*size > 0) {
    body->append(data, *size);
    *size = 0;
    return MHD_YES;
  }
  const std::string_view path = url;
  if (std::strcmp(method, "POST") == 0) {
    try {
      return send(connection, 201, bench::place_order(nlohmann::json::parse(*body)).dump());
    } catch (const std::exception&) {
      return send(connection, 400, "{}");
    }
  }
  if (path == "/hello") return send(connection, 200, bench::hello().dump());
  if (path.starts_with("/users/")) {
    return send(connection, 200, bench::user(std::string(path.substr(7))).dump());
  }
  if (path == "/stream") {
    auto* response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, bench::kPiece, read_stream,
                                                       nullptr, nullptr);
    const auto result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
  }
  return send(connection, 200, bench::file(), "text/plain");
}

void complete(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
  delete static_cast<std::string*>(*state);
}

}  // namespace

int main(int, char** argv) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, nullptr, nullptr, handle, nullptr, MHD_OPTION_SOCK_ADDR,
      reinterpret_cast<sockaddr*>(&address), MHD_OPTION_NOTIFY_COMPLETED, complete, nullptr,
      MHD_OPTION_THREAD_POOL_SIZE, static_cast<unsigned>(bench::threads()),
      MHD_OPTION_CONNECTION_LIMIT, 4096U, MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096U, MHD_OPTION_END);
  if (daemon == nullptr) return 1;
  pause();
}
