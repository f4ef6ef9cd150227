// The limit: an epoll loop for each thread that finds the end of a request and sends fixed text. It
// parses nothing, so no framework can be faster on the same sockets. With a second argument
// `simdjson`, it reads and checks the order with simdjson, by code written for this order. TLS is
// OpenSSL's on the socket, and /articles fixed text that zlib compresses for each request.
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <simdjson.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>
#include <zlib.h>

#include "workload.hpp"

namespace {

std::string response_text(std::string_view status, std::string_view type, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + std::string(type) +
         "\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

const std::string kHello = response_text("200 OK", "application/json", bench::hello().dump());
const std::string kUser = response_text("200 OK", "application/json", bench::user("42").dump());
const std::string kFile = response_text("200 OK", "text/plain", bench::file());
const std::string kOrder = response_text(
    "201 Created", "application/json", R"({"count":55,"id":4711,"status":"open","total":2747.25})");
const std::string kArticles = [] {
  nlohmann::json items;
  for (const auto& [sku, name, quantity, price] : bench::articles()) {
    items.push_back({{"sku", sku}, {"name", name}, {"quantity", quantity}, {"price", price}});
  }
  return nlohmann::json{{"items", std::move(items)}}.dump();
}();
const std::string kStream = [] {
  std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t i = 0; i < bench::kPieces; ++i) {
    text += "4000\r\n" + std::string(bench::kPiece, 'x') + "\r\n";
  }
  return text + "0\r\n\r\n";
}();

struct Client {
  std::string input;
  std::string_view output;
  std::string response;  ///< one that is not fixed
  std::unique_ptr<SSL, decltype(&SSL_free)> tls{nullptr, &SSL_free};
};

bool g_parses_orders = false;

using OrderView = bench::Order<std::string_view>;

void read_items(simdjson::ondemand::array items, OrderView& order) {
  for (simdjson::ondemand::object object : items) {
    auto& item = order.items.emplace_back();
    for (auto field : object) {
      const std::string_view name = field.unescaped_key();
      if (name == "sku") {
        item.sku = field.value().get_string();
      } else if (name == "name") {
        item.name = field.value().get_string();
      } else if (name == "quantity") {
        item.quantity = field.value().get_int64();
      } else if (name == "price") {
        item.price = field.value().get_double();
      } else {
        throw std::invalid_argument("member");
      }
    }
  }
}

/// The body begins at `begin` of the input.
bench::Placed place_order(std::string& input, std::size_t begin, std::size_t size) {
  thread_local simdjson::ondemand::parser parser;
  thread_local OrderView order;
  order.items.clear();
  input.reserve(begin + size + simdjson::SIMDJSON_PADDING);
  auto document = parser.iterate(input.data() + begin, size, input.capacity() - begin);
  for (auto field : document.get_object()) {
    const std::string_view name = field.unescaped_key();
    if (name == "customer") {
      order.customer = field.value().get_string();
    } else if (name == "email") {
      order.email = field.value().get_string();
    } else if (name == "currency") {
      order.currency = field.value().get_string();
    } else if (name == "note") {
      order.note = std::string_view(field.value().get_string());
    } else if (name == "items") {
      read_items(field.value().get_array(), order);
    } else {
      throw std::invalid_argument("member");
    }
  }
  return bench::place_order(order);
}

std::string_view respond_to_order(Client& client, std::size_t size) {
  const std::size_t begin = client.input.find("\r\n\r\n") + 4;
  try {
    const auto [id, status, count, total] = place_order(client.input, begin, size - begin);
    std::array<char, 160> body;
    const int length = std::snprintf(
        body.data(), body.size(), R"({"id":%lld,"status":"%s","count":%lld,"total":%.17g})",
        static_cast<long long>(id), status.c_str(), static_cast<long long>(count), total);
    client.response = response_text("201 Created", "application/json",
                                    std::string(body.data(), static_cast<std::size_t>(length)));
  } catch (const std::exception&) {
    client.response = response_text("422 Unprocessable Content", "text/plain", "");
  }
  return client.response;
}

/// A stream of zlib for each thread, with its default level.
z_stream& gzip_stream() {
  thread_local z_stream stream{};
  if (stream.state == nullptr) {
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  }
  return stream;
}

std::string_view respond_with_articles(Client& client) {
  auto& stream = gzip_stream();
  deflateReset(&stream);
  std::string body(kArticles.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(kArticles.data()));
  stream.avail_in = static_cast<uInt>(kArticles.size());
  stream.next_out = reinterpret_cast<Bytef*>(body.data());
  stream.avail_out = static_cast<uInt>(body.size());
  deflate(&stream, Z_FINISH);
  body.resize(stream.total_out);
  client.response = response_text("200 OK", "application/json\r\nContent-Encoding: gzip", body);
  return client.response;
}

const std::string& choose(std::string_view head) {
  if (head.starts_with("GET /hello")) return kHello;
  if (head.starts_with("GET /users")) return kUser;
  if (head.starts_with("GET /file")) return kFile;
  if (head.starts_with("GET /stream")) return kStream;
  return kOrder;
}

/// Bytes of the request at the beginning of `input`; 0: it is not complete.
std::size_t request_size(std::string_view input) {
  const auto end = input.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  std::size_t length = 0;
  if (input.starts_with("POST")) {
    const auto field = input.find("Content-Length: ");
    if (field != std::string_view::npos)
      length = std::strtoul(input.data() + field + 16, nullptr, 10);
  }
  return input.size() >= end + 4 + length ? end + 4 + length : 0;
}

/// What SSL_read or SSL_write has returned, as recv and send would.
ssize_t result_of(SSL* tls, int result) {
  if (result > 0) return result;
  const int error = SSL_get_error(tls, result);
  ERR_clear_error();
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return 0;
  errno = EAGAIN;
  return -1;
}

ssize_t send_some(int fd, Client& client) {
  const auto output = client.output;
  SSL* tls = client.tls.get();
  if (tls == nullptr) return send(fd, output.data(), output.size(), MSG_NOSIGNAL);
  return result_of(tls, SSL_write(tls, output.data(), static_cast<int>(output.size())));
}

ssize_t receive_some(int fd, Client& client, std::span<char> buffer) {
  SSL* tls = client.tls.get();
  if (tls == nullptr) return recv(fd, buffer.data(), buffer.size(), 0);
  return result_of(tls, SSL_read(tls, buffer.data(), static_cast<int>(buffer.size())));
}

bool flush(int fd, Client& client) {
  while (!client.output.empty()) {
    const auto sent = send_some(fd, client);
    if (sent == 0) return false;
    if (sent < 0) return errno == EAGAIN;
    client.output.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive(int fd, Client& client) {
  std::array<char, 16384> buffer;
  const auto size = receive_some(fd, client, buffer);
  if (size <= 0) return size < 0 && errno == EAGAIN;
  client.input.append(buffer.data(), static_cast<std::size_t>(size));
  while (const auto used = request_size(client.input)) {
    if (g_parses_orders && client.input.starts_with("POST")) {
      client.output = respond_to_order(client, used);
    } else if (client.input.starts_with("GET /articles")) {
      client.output = respond_with_articles(client);
    } else {
      client.output = choose(client.input);
    }
    client.input.erase(0, used);
    if (!flush(fd, client)) return false;
  }
  return true;
}

/// For all connections; nullptr: they have no TLS.
SSL_CTX* make_context() {
  const auto certificate = bench::certificate();
  if (!certificate) return nullptr;
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_certificate_chain_file(context, certificate->chain.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, certificate->key.c_str(), SSL_FILETYPE_PEM) != 1) {
    ERR_print_errors_fp(stderr);
    std::exit(1);
  }
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  return context;
}

void serve(int listener, SSL_CTX* context) {
  const int epoll = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener;
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  std::unordered_map<int, std::unique_ptr<Client>> clients;
  std::array<epoll_event, 64> ready;
  while (true) {
    const int count = epoll_wait(epoll, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener) {
        const int accepted = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
        if (accepted < 0) continue;
        auto& client = *(clients[accepted] = std::make_unique<Client>());
        if (context != nullptr) {
          client.tls.reset(SSL_new(context));
          SSL_set_fd(client.tls.get(), accepted);
          SSL_set_accept_state(client.tls.get());
        }
        event.events = EPOLLIN | EPOLLOUT | EPOLLET;
        event.data.fd = accepted;
        epoll_ctl(epoll, EPOLL_CTL_ADD, accepted, &event);
        continue;
      }
      auto& client = *clients[fd];
      const auto events = ready[static_cast<std::size_t>(i)].events;
      if (!flush(fd, client) || ((events & EPOLLIN) != 0 && !receive(fd, client))) {
        close(fd);
        clients.erase(fd);
      }
    }
  }
}

int open_listener(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, 4096) != 0) {
    std::perror("bare");
    std::exit(1);
  }
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  g_parses_orders = argc > 2 && std::string_view(argv[2]) == "simdjson";
  SSL_CTX* context = make_context();
  std::vector<std::thread> threads;
  for (int i = 0; i < bench::threads(); ++i) {
    threads.emplace_back(serve, open_listener(std::atoi(argv[1])), context);
  }
  for (auto& thread : threads) thread.join();
}
