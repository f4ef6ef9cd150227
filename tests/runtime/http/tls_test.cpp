// TLS: handshakes, certificates by host, what reaches the handler, and the end of connections. The
// tests run on both engines, and so do the adapter's other tests over TLS: over_tls.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <span>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

#include "http/tls/certificate.hpp"
#include "http/tls/ticket_keys.hpp"
#include "http/tls/tls_server.hpp"
#include "local_options.hpp"
#include "loopback.hpp"
#include "support/certificates.hpp"
#include "temporary_directory.hpp"
#include "tls_client.hpp"

namespace tls_test {

using namespace fw::http;
using namespace fw::http::test;
using fw::TlsConfig;
using fw::test::TestCertificate;

namespace {

/// The reports of a TLS server.
class Reports {
 public:
  TlsReport callbacks() {
    const auto add = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      texts_.push_back(text);
    };
    return {.inform = add, .warn = add};
  }
  bool contain(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        texts_, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return texts_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

struct Setting {
  fairway::test::TemporaryDirectory folder;
  TestCertificate certificate{folder.path(), "server", {}};
  TlsConfig config{.certificate = certificate.certificate_file(), .key = certificate.key_file()};
  Reports reports;

  std::shared_ptr<SecureServer> load(int ticket_secret = -1) {
    std::vector<TlsError> errors;
    auto server = make_tls_server(config, ticket_secret, reports.callbacks(), errors);
    for (const TlsError& error : errors) FAIL_CHECK(error.pointer << ": " << error.message);
    return server;
  }
  std::vector<std::string> errors() {
    std::vector<TlsError> found;
    CHECK(make_tls_server(config, -1, reports.callbacks(), found) == nullptr);
    std::vector<std::string> texts;
    for (const TlsError& error : found) {
      std::string text = error.pointer + ": " + error.message;
      const std::string path = folder.path().string() + "/";
      for (auto at = text.find(path); at != text.npos; at = text.find(path)) {
        text.erase(at, path.size());
      }
      texts.push_back(std::move(text));
    }
    return texts;
  }
};

AdapterOptions options_with(std::shared_ptr<SecureServer> tls) {
  AdapterOptions options = local_options();
  options.tls = std::move(tls);
  // On a machine that is busy with other things, seconds may not be enough.
  options.handshake_timeout = options.queue_timeout = options.keep_alive_timeout = 1min;
  return options;
}

/// Tells whether the request came over TLS.
void tell_security(const std::shared_ptr<Transaction>& transaction) {
  respond(*transaction, transaction->head().is_secure ? "secure" : "cleartext");
}

Server serve(const std::shared_ptr<SecureServer>& tls, TransactionHandler handler = tell_security) {
  return Server(std::move(handler), options_with(tls));
}

/// A connection with TLS.
struct TlsClient {
  explicit TlsClient(std::uint16_t port, const TlsClientOptions& options = {})
      : plain(port, 0), channel(plain.fd(), options) {}

  std::string get() {
    if (channel.send(kGet) <= 0) return "(cannot send)";
    std::string text;
    char buffer[4096];
    while (text.find("\r\n\r\n") == text.npos || text.ends_with("\r\n\r\n")) {
      const auto size = channel.receive(buffer, sizeof buffer);
      if (size <= 0) return text + "(end)";
      text.append(buffer, static_cast<std::size_t>(size));
    }
    return text.substr(text.find("\r\n\r\n") + 4);
  }

  Client plain;
  TlsClientChannel channel;
};

/// A client of TLS 1.3 that encrypts its records itself.
class RecordClient {
 public:
  explicit RecordClient(std::uint16_t port) : plain_(port) {
    SSL_CTX_set_ciphersuites(context_.get(), "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_keylog_callback(context_.get(), [](const SSL* ssl, const char* line) {
      static_cast<std::string*>(SSL_get_app_data(ssl))->append(line).append("\n");
    });
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context_.get()), SSL_free);
    std::string log;
    SSL_set_app_data(ssl.get(), &log);
    SSL_set_fd(ssl.get(), plain_.fd());
    REQUIRE(SSL_connect(ssl.get()) == 1);
    SSL_set_shutdown(ssl.get(), SSL_SENT_SHUTDOWN);
    // "CLIENT_TRAFFIC_SECRET_0 <random> <secret>"
    const auto line = log.find("CLIENT_TRAFFIC_SECRET_0 ");
    REQUIRE(line != log.npos);
    const auto begin = log.find(' ', log.find(' ', line) + 1) + 1;
    std::string secret;
    for (std::size_t i = 0; i < kSecretSize; ++i) {
      secret += static_cast<char>(std::stoi(log.substr(begin + 2 * i, 2), nullptr, 16));
    }
    key_ = expanded(secret, "key", 16);
    nonce_ = expanded(secret, "iv", 12);
  }

  /// The next record (RFC 8446, section 5.2).
  std::string record(int type, std::string_view content) {
    constexpr std::size_t kTagSize = 16;
    std::string plain(content);
    plain += static_cast<char>(type);
    const auto size = plain.size() + kTagSize;
    std::string head("\x17\3\3", 3);
    head += static_cast<char>(size >> 8U);
    head += static_cast<char>(size);
    std::string nonce = nonce_;
    nonce.back() = static_cast<char>(nonce.back() ^ records_++);
    std::string encrypted(size, '\0');
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher(
        EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
    int count = 0;
    EVP_EncryptInit_ex(cipher.get(), EVP_aes_128_gcm(), nullptr, bytes(key_), bytes(nonce));
    EVP_EncryptUpdate(cipher.get(), nullptr, &count, bytes(head), static_cast<int>(head.size()));
    auto* const out = reinterpret_cast<unsigned char*>(encrypted.data());
    EVP_EncryptUpdate(cipher.get(), out, &count, bytes(plain), static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(cipher.get(), out + plain.size(), &count);
    EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagSize, out + plain.size());
    return head + encrypted;
  }
  void send(std::string_view records) { CHECK(plain_.send(records)); }
  /// Whether the connection ends, after anything that the server sends.
  bool sees_end() {
    char buffer[4096];
    ssize_t size = 0;
    do {
      size = recv(plain_.fd(), buffer, sizeof buffer, 0);
    } while (size > 0);
    return size == 0 || errno == ECONNRESET;
  }

 private:
  static constexpr std::size_t kSecretSize = 32;

  static const unsigned char* bytes(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }
  /// HKDF-Expand-Label (RFC 8446, section 7.1) of up to 32 bytes.
  static std::string expanded(const std::string& secret, std::string_view label, std::size_t size) {
    std::string info{'\0', static_cast<char>(size), static_cast<char>(6 + label.size())};
    info.append("tls13 ").append(label);
    info.append({'\0', '\1'});
    std::array<unsigned char, kSecretSize> result{};
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes(info), info.size(),
         result.data(), nullptr);
    return {result.begin(), result.begin() + static_cast<std::ptrdiff_t>(size)};
  }

  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_client_method()),
                                                                   SSL_CTX_free};
  Client plain_;
  std::string key_;
  std::string nonce_;  ///< of the first record
  char records_ = 0;
};

}  // namespace

TEST_CASE("tls: a request reaches the handler as a secure one") {
  Setting setting;
  auto server = serve(setting.load());
  TlsClient client(server.port());
  REQUIRE(client.channel.is_open());
  CHECK(SSL_version(client.channel.get()) == TLS1_3_VERSION);
  CHECK(client.get() == "secure");
  CHECK(client.get() == "secure");  // on the same connection
}

TEST_CASE("tls: versions below the minimum are refused") {
  Setting setting;
  {
    auto server = serve(setting.load());
    CHECK(TlsClient(server.port(), {.max_version = TLS1_2_VERSION}).get() == "secure");
    CHECK_FALSE(TlsClient(server.port(), {.max_version = TLS1_1_VERSION}).channel.is_open());
  }
  setting.config.min_version = "1.3";
  auto server = serve(setting.load());
  CHECK_FALSE(TlsClient(server.port(), {.max_version = TLS1_2_VERSION}).channel.is_open());
  CHECK(TlsClient(server.port()).get() == "secure");
}

TEST_CASE("tls: only the protocols of the server are agreed on") {
  Setting setting;
  auto server = serve(setting.load());
  CHECK(TlsClient(server.port(), {.protocols = "http/1.1"}).get() == "secure");
  CHECK_FALSE(TlsClient(server.port(), {.protocols = "spdy/3"}).channel.is_open());
}

TEST_CASE("tls: a client cannot choose an expensive key exchange") {
  Setting setting;
  auto server = serve(setting.load());
  CHECK(TlsClient(server.port(), {.groups = "P-256"}).get() == "secure");
  CHECK_FALSE(TlsClient(server.port(), {.groups = "ffdhe8192"}).channel.is_open());
}

TEST_CASE("tls: the host name of the client selects the certificate") {
  Setting setting;
  const TestCertificate shop(setting.folder.path(), "shop", {.name = "shop.example.com"});
  const TestCertificate any(setting.folder.path(), "any", {.name = "*.example.org"});
  setting.config.hosts["Shop.example.com"] = {shop.certificate_file(), shop.key_file()};
  setting.config.hosts["*.example.org"] = {any.certificate_file(), any.key_file()};
  auto server = serve(setting.load());
  const auto name_for = [&](const std::string& host) {
    return TlsClient(server.port(), {.host = host}).channel.name_of_server();
  };
  CHECK(name_for("shop.example.com") == "shop.example.com");
  CHECK(name_for("SHOP.example.com") == "shop.example.com");
  CHECK(name_for("a.example.org") == "*.example.org");
  CHECK(name_for("a.b.example.org") == "localhost");
  CHECK(name_for("other.example.com") == "localhost");
  CHECK(name_for("") == "localhost");
}

TEST_CASE("tls: a request in cleartext gets an error that says so") {
  Setting setting;
  auto server = serve(setting.load());
  Client client(server.port());
  const auto response = client.exchange(kGet);
  CHECK(response.status == 400);
  CHECK(response.body == "error: this port serves HTTPS: the URL must begin with https://");
  CHECK(client.sees_end());
  Client garbage(server.port());
  garbage.send(std::string("\x01\x02\x03 garbage", 11));
  while (garbage.receive_more()) {
  }
  CHECK(garbage.input().find("HTTP") == std::string::npos);
}

TEST_CASE("tls: a handshake that does not complete ends after its time-out") {
  Setting setting;
  AdapterOptions options = options_with(setting.load());
  options.handshake_timeout = 100ms;
  options.headers_timeout = 60s;
  const Server server(tell_security, options);
  Client silent(server.port());
  CHECK(silent.sees_end());
  Client slow(server.port());
  slow.send(std::string("\x16\x03\x01\x02\x00", 5));  // the head of a record of 512 bytes
  CHECK(slow.sees_end());
  // After the handshake, the time for the head applies. On a busy machine, a handshake may be late.
  CHECK(eventually([&] {
    TlsClient client(server.port());
    if (!client.channel.is_open()) return false;
    std::this_thread::sleep_for(300ms);
    return client.get() == "secure";
  }));
}

TEST_CASE("tls: the end of a connection is announced") {
  Setting setting;
  auto server = serve(setting.load());
  TlsClient client(server.port());
  client.channel.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  char buffer[4096];
  ssize_t size = 0;
  do {
    size = client.channel.receive(buffer, sizeof buffer);
  } while (size > 0);
  CHECK(size == 0);
  CHECK(client.channel.has_clean_end());
}

TEST_CASE("tls: the end of a connection without requests is announced at a stop") {
  Setting setting;
  auto server = serve(setting.load());
  TlsClient idle(server.port());
  TlsClient used(server.port());
  CHECK(used.get() == "secure");
  CHECK(server.stop(1min));
  for (TlsClient* const client : {&idle, &used}) {
    char byte = 0;
    CHECK(client->channel.receive(&byte, 1) == 0);
    CHECK(client->channel.has_clean_end());
  }
}

TEST_CASE("tls: the end of a response without a length is announced to a client that reads late") {
  Setting setting;
  constexpr std::size_t kSize = 2'000'000;
  auto server = serve(setting.load(), [](const std::shared_ptr<Transaction>& transaction) {
    std::size_t left = kSize;
    transaction->respond_stream({}, std::nullopt,
                                [left](std::span<char> buffer) mutable {
                                  const auto size = std::min(left, buffer.size());
                                  std::fill_n(buffer.data(), size, 'a');
                                  left -= size;
                                  return size;
                                },
                                {});
  });
  TlsClient client(server.port());
  client.channel.send("GET / HTTP/1.0\r\n\r\n");
  std::size_t received = 0;
  std::vector<char> buffer(3'000);
  for (ssize_t size = 0; (size = client.channel.receive(buffer.data(), buffer.size())) > 0;) {
    received += static_cast<std::size_t>(size);
    if (received % 7 == 0) std::this_thread::sleep_for(1ms);
  }
  CHECK(received > kSize);
  CHECK(client.channel.has_clean_end());
}

TEST_CASE("tls: a handler is notified that its client has announced its end and closed") {
  Setting setting;
  std::atomic<bool> is_waiting{false};
  Gate gone;
  auto server = serve(setting.load(), [&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { gone.open(); });
    is_waiting = true;
    gone.wait();
    respond(*transaction, "unheard");
  });
  const OpensAtEnd opens(gone);
  std::thread closing([&] {
    TlsClient client(server.port());
    client.channel.send(kGet);
    CHECK(eventually([&] { return is_waiting.load(); }));
    client.channel.end_sending();
    client.plain.close();
  });
  closing.join();
  gone.wait();
}

TEST_CASE("tls: a request that was decrypted with the one before is not forgotten") {
  Setting setting;
  Gate gate;
  std::atomic<int> blocked{0};
  auto server = serve(setting.load(), [&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/block") {
      ++blocked;
      gate.wait();
    }
    std::string body;
    transaction->read_body(1 << 20, body);
    respond(*transaction, body.empty() ? transaction->head().target : body.substr(0, 4));
  });
  const OpensAtEnd opens(gate);
  // The second request fills a buffer, whatever its size in the engine is.
  for (const std::size_t size : {8U << 10, 16U << 10, 24U << 10, 32U << 10, 64U << 10}) {
    CAPTURE(size);
    gate.close();
    TlsClient client(server.port());
    client.channel.send(kBlock);
    REQUIRE(eventually([&] { return blocked.exchange(0) == 1; }));
    const auto head_with = [](std::size_t length) {
      return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
    };
    const std::size_t length = size - head_with(size / 2).size();
    client.channel.send(head_with(length) + std::string(length, 'b') +
                        "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    gate.open();
    std::string received;
    char buffer[4096];
    for (ssize_t part = 0; (part = client.channel.receive(buffer, sizeof buffer)) > 0;) {
      received.append(buffer, static_cast<std::size_t>(part));
    }
    CHECK(received.find("\r\n\r\nbbbb") != received.npos);
    CHECK(received.ends_with("\r\n\r\n/last"));
  }
}

TEST_CASE("tls: a stream that fails ends without the announcement of an end") {
  Setting setting;
  auto server = serve(setting.load(), [](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond_stream({}, std::nullopt,
                                [first = true](std::span<char> buffer) mutable -> std::size_t {
                                  if (!std::exchange(first, false))
                                    throw std::runtime_error("the source has failed");
                                  buffer[0] = 'a';
                                  return 1;
                                },
                                {});
  });
  TlsClient client(server.port());
  client.channel.send("GET / HTTP/1.0\r\n\r\n");
  char buffer[4096];
  while (client.channel.receive(buffer, sizeof buffer) > 0) {
  }
  CHECK_FALSE(client.channel.has_clean_end());
}

TEST_CASE("tls: a file that becomes shorter ends without the announcement of an end") {
  Setting setting;
  setting.folder.write("file", std::string(100'000, 'f'));
  auto server = serve(setting.load(), [&](const std::shared_ptr<Transaction>& transaction) {
    auto file = std::make_shared<FileDescriptor>(
        ::open((setting.folder.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
    const int descriptor = file->get();
    transaction->respond_file({}, {std::move(file), descriptor, 0, 300'000}, {});
  });
  TlsClient client(server.port());
  client.channel.send(kGet);
  std::size_t received = 0;
  std::vector<char> buffer(70'000);
  for (ssize_t size = 0; (size = client.channel.receive(buffer.data(), buffer.size())) > 0;) {
    received += static_cast<std::size_t>(size);
  }
  CHECK(received < 300'000);
  CHECK_FALSE(client.channel.has_clean_end());
}

TEST_CASE("tls: a client that updates its keys all the time is disconnected") {
  Setting setting;
  auto server = serve(setting.load());
  TlsClient client(server.port());
  const auto update_keys = [&](int times) {
    for (int i = 0; i < times; ++i) {
      SSL_key_update(client.channel.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
      SSL_do_handshake(client.channel.get());
    }
  };
  update_keys(30);
  CHECK(client.get() == "secure");
  CHECK(client.get() == "secure");
  update_keys(10);
  char byte = 0;
  CHECK(client.channel.receive(&byte, 1) <= 0);
  CHECK(errno != EAGAIN);
}

TEST_CASE("tls: a client that does not end a message of the handshake is disconnected") {
  Setting setting;
  AdapterOptions options = options_with(setting.load());
  options.send_timeout = 10min;
  options.min_data_rate = {};
  const Server server(tell_security, options);
  RecordClient client(server.port());
  // Of an update of keys, without its content: until it has that, OpenSSL sends nothing.
  const std::string head_of_message("\x18\0\0\1", 4);
  client.send(client.record(SSL3_RT_APPLICATION_DATA, kGet) +
              client.record(SSL3_RT_HANDSHAKE, head_of_message));
  CHECK(client.sees_end());
}

TEST_CASE("tls: a client of TLS 1.2 cannot renegotiate") {
  Setting setting;
  auto server = serve(setting.load());
  TlsClient client(server.port(), {.max_version = TLS1_2_VERSION});
  REQUIRE(client.get() == "secure");
  SSL* const ssl = client.channel.get();
  REQUIRE(SSL_renegotiate(ssl) == 1);
  int result = 0;
  CHECK(eventually([&] {
    result = SSL_do_handshake(ssl);
    return result == 1 || SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ;
  }));
  CHECK(result != 1);
  CHECK(ERR_GET_REASON(ERR_peek_error()) == SSL_R_NO_RENEGOTIATION);
  ERR_clear_error();
}

TEST_CASE("tls: a call reads a bounded number of bytes, however small the records are") {
  Setting setting;
  const auto tls = setting.load();
  int sockets[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
  const FileDescriptor client_end(sockets[0]);
  const FileDescriptor server_end(sockets[1]);
  const auto channel = tls->accept(server_end.get());
  std::vector<char> buffer(16 * 1024);
  constexpr std::size_t kRecords = 4'000;
  std::thread sending([&] {
    TlsClientChannel client(client_end.get());
    BIO* const records = BIO_new(BIO_s_mem());
    SSL_set0_wbio(client.get(), records);
    for (std::size_t i = 0; i < kRecords; ++i) client.send("a");
    char* bytes = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(records, &bytes));
    for (std::size_t sent = 0; sent < size;) {
      wait_writable(client_end.get(), 1s);
      const auto part = ::send(client_end.get(), bytes + sent, size - sent, MSG_NOSIGNAL);
      if (part > 0) sent += static_cast<std::size_t>(part);
    }
  });
  // The handshake, and then all of the records at once.
  while (!channel->is_established()) {
    static_cast<void>(channel->receive({buffer.data(), 1}));
    wait_readable(server_end.get(), 10ms);
  }
  sending.join();
  std::size_t received = 0;
  bool has_ended_early = false;
  for (int calls = 0; received < kRecords - 1 && calls < 100; ++calls) {
    const auto part = channel->receive(buffer);
    if (part.status == IoStatus::closed) break;
    if (part.status == IoStatus::done) received += part.size;
    has_ended_early = has_ended_early || (received < kRecords - 1 && channel->has_more_input());
    CHECK((channel->has_more_input() || received >= kRecords - 1));
  }
  CHECK(has_ended_early);
  CHECK(received >= kRecords - 1);  // the handshake may have read one
}

TEST_CASE("tls: large bodies pass in both directions, whatever the size of the records") {
  Setting setting;
  auto server = serve(setting.load(), [](const std::shared_ptr<Transaction>& transaction) {
    std::string body;
    const auto status = transaction->read_body(64 << 20, body);
    CHECK(status == BodyStatus::complete);
    respond(*transaction, body);
  });
  std::string body(9'000'000, 'x');
  for (std::size_t i = 0; i < body.size(); i += 997) body[i] = static_cast<char>('a' + i % 26);
  TlsClient client(server.port());
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  client.channel.send(head);
  for (std::size_t at = 0, part = 1; at < body.size(); at += part, part = part % 50'000 + 1'111) {
    client.channel.send(std::string_view(body).substr(at, part));
  }
  // The client reads nothing for a while, so that the server has to wait in the middle of a record.
  std::this_thread::sleep_for(100ms);
  std::string received;
  std::vector<char> buffer(70'000);
  while (received.size() < body.size()) {
    const auto size = client.channel.receive(buffer.data(), buffer.size());
    REQUIRE(size > 0);
    received.append(buffer.data(), static_cast<std::size_t>(size));
    const auto end = received.find("\r\n\r\n");
    if (end != received.npos && received.starts_with("HTTP")) received.erase(0, end + 4);
  }
  CHECK(received == body);
}

TEST_CASE("tls: a file is sent encrypted") {
  Setting setting;
  setting.folder.write("file", std::string(300'000, 'f'));
  auto server = serve(setting.load(), [&](const std::shared_ptr<Transaction>& transaction) {
    auto file = std::make_shared<FileDescriptor>(
        ::open((setting.folder.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
    const int descriptor = file->get();
    transaction->respond_file({}, {std::move(file), descriptor, 0, 300'000}, {});
  });
  TlsClient client(server.port());
  client.channel.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::string received;
  std::vector<char> buffer(70'000);
  ssize_t size = 0;
  while ((size = client.channel.receive(buffer.data(), buffer.size())) > 0) {
    received.append(buffer.data(), static_cast<std::size_t>(size));
  }
  CHECK(received.ends_with("\r\n\r\n" + std::string(300'000, 'f')));
}

TEST_CASE("tls: another thread may respond while the body is being read") {
  Setting setting;
  auto server = serve(setting.load(), [](const std::shared_ptr<Transaction>& transaction) {
    std::thread responder([transaction] {
      std::this_thread::sleep_for(50ms);
      respond(*transaction, std::string(100'000, 'r'));
    });
    std::string body;
    CHECK(transaction->read_body(1 << 20, body) == BodyStatus::disconnected);
    responder.join();
  });
  for (int i = 0; i < 5; ++i) {
    TlsClient client(server.port());
    client.channel.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nbeginning");
    std::string received;
    std::vector<char> buffer(70'000);
    ssize_t size = 0;
    while ((size = client.channel.receive(buffer.data(), buffer.size())) > 0) {
      received.append(buffer.data(), static_cast<std::size_t>(size));
    }
    CHECK(received.ends_with(std::string(100'000, 'r')));
  }
}

TEST_CASE("tls: a session is resumed by another server with the same secret, not by others") {
  Setting setting;
  const FileDescriptor secret = make_ticket_secret_file();
  auto first = serve(setting.load(secret.get()));
  auto second = serve(setting.load(secret.get()));
  auto stranger = serve(setting.load());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    CAPTURE(version);
    TlsClient client(first.port(), {.max_version = version});
    REQUIRE(client.get() == "secure");  // a ticket of TLS 1.3 comes after the handshake
    const std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session(
        SSL_get1_session(client.channel.get()), SSL_SESSION_free);
    const auto is_resumed_by = [&](Server& server) {
      TlsClient again(server.port(), {.max_version = version, .resumed = session.get()});
      CHECK(again.get() == "secure");
      return SSL_session_reused(again.channel.get()) == 1;
    };
    CHECK(is_resumed_by(second));
    CHECK(is_resumed_by(first));
    CHECK_FALSE(is_resumed_by(stranger));
  }
}

TEST_CASE("tls: the keys of tickets differ by secret, period and purpose") {
  const TicketSecret one = make_ticket_secret();
  const TicketSecret other = make_ticket_secret();
  const auto keys = detail::ticket_keys(one, 7);
  CHECK(keys.name == detail::ticket_keys(one, 7).name);
  CHECK(keys.name != detail::ticket_keys(one, 8).name);
  CHECK(keys.cipher != detail::ticket_keys(one, 8).cipher);
  CHECK(keys.digest != detail::ticket_keys(other, 7).digest);
  CHECK(keys.cipher != keys.digest);
}

TEST_CASE("tls: changed files are used for new connections, and open ones continue") {
  Setting setting;
  const auto tls = setting.load();
  auto server = serve(tls);
  TlsClient before(server.port());
  CHECK(before.channel.name_of_server() == "localhost");
  {
    const TestCertificate renewed(setting.folder.path(), "renewed", {.name = "renewed"});
    std::filesystem::rename(renewed.key_file(), setting.certificate.key_file());
    // The certificate has not been replaced yet.
    CHECK(eventually(
        [&] { return setting.reports.contain("the earlier certificates stay in use"); }));
    CHECK(TlsClient(server.port()).channel.name_of_server() == "localhost");
    std::filesystem::rename(renewed.certificate_file(), setting.certificate.certificate_file());
  }
  CHECK(eventually([&] { return TlsClient(server.port()).channel.name_of_server() == "renewed"; }));
  CHECK(eventually(
      [&] { return setting.reports.contain("the certificates have been loaded again"); }));
  CHECK(before.get() == "secure");
}

TEST_CASE("tls: a request to reload loads files that look unchanged") {
  Setting setting;
  const auto tls = setting.load();
  const auto server = serve(tls);
  const std::size_t reports = setting.reports.count();
  request_certificate_reload();
  CHECK(eventually([&] { return setting.reports.count() > reports; }));
}

TEST_CASE("tls: unusable certificates are errors with the member and the file") {
  Setting setting;
  const auto& folder = setting.folder.path();
  const auto error_with = [&](const TestCertificate& certificate) {
    setting.config.certificate = certificate.certificate_file();
    setting.config.key = certificate.key_file();
    const auto errors = setting.errors();
    return errors.size() == 1 ? errors[0] : std::to_string(errors.size()) + " errors";
  };
  const TestCertificate expired(folder, "expired", {.begin = -48h, .end = -24h});
  CHECK(error_with(expired).starts_with(
      "/certificate: expired.pem: the certificate of CN=localhost has expired on 20"));
  const TestCertificate early(folder, "early", {.begin = 24h});
  CHECK(error_with(early).starts_with(
      "/certificate: early.pem: the certificate of CN=localhost is not valid before 20"));
  const TestCertificate weak(folder, "weak", {.rsa_bits = 1024});
  CHECK(error_with(weak) ==
        "/certificate: weak.pem: the certificate is too weak: ee key too small");

  const TestCertificate authority(folder, "authority", {.name = "authority", .is_authority = true});
  const TestCertificate issued(folder, "issued", {.name = "issued", .issuer = &authority});
  issued.append_to_file(setting.certificate);
  CHECK(error_with(issued) ==
        "/certificate: issued.pem: certificate 2 of the chain, of CN=localhost, has not issued the "
        "one before it, of CN=issued");
  const TestCertificate good(folder, "good", {.name = "good", .issuer = &authority});
  good.append_to_file(authority);
  setting.config.certificate = good.certificate_file();
  setting.config.key = good.key_file();
  CHECK(setting.load() != nullptr);

  setting.config.key = setting.certificate.key_file();
  CHECK(setting.errors()[0].starts_with("/key: server.key.pem: the key does not belong to "));
  setting.config.key = good.certificate_file();
  CHECK(setting.errors()[0] ==
        "/key: good.pem: the file has no private key in PEM without a passphrase");
  setting.config.certificate = (folder / "none.pem").string();
  CHECK(setting.errors()[0] == "/certificate: none.pem: No such file or directory");
  setting.config.certificate = good.key_file();
  CHECK(setting.errors()[0] == "/certificate: good.key.pem: the file has no certificate in PEM");

  setting.config.certificate = setting.certificate.certificate_file();
  setting.config.key = setting.certificate.key_file();
  setting.config.hosts["shop.example.com"] = {expired.certificate_file(), expired.key_file()};
  CHECK(setting.errors()[0].starts_with("/hosts/shop.example.com/certificate: expired.pem: "));
}

TEST_CASE("tls: a certificate that ends soon is reported") {
  Setting setting;
  setting.load();
  CHECK(setting.reports.count() == 0);
  const TestCertificate ends(setting.folder.path(), "ends", {.name = "ends", .end = 24h * 10 + 1h});
  setting.config.certificate = ends.certificate_file();
  setting.config.key = ends.key_file();
  setting.load();
  CHECK(setting.reports.contain("the certificate of CN=ends expires on 20"));
  CHECK(setting.reports.contain(", in 10 days"));
}

TEST_CASE("client certificates: a certificate of the authority reaches the handler") {
  Setting setting;
  const auto& folder = setting.folder.path();
  const TestCertificate authority(folder, "clients", {.name = "clients", .is_authority = true});
  const TestCertificate billing(folder, "billing", {.name = "billing", .issuer = &authority});
  const TestCertificate stranger(folder, "stranger", {.name = "billing"});
  const TestCertificate expired(folder, "expired",
                                {.name = "old", .issuer = &authority, .begin = -48h, .end = -24h});
  const TestCertificate host(folder, "host", {.name = "shop.test"});
  setting.config.client_certificates.ca = authority.certificate_file();
  setting.config.hosts["shop.test"] = {host.certificate_file(), host.key_file()};
  const auto tell_client = [](const std::shared_ptr<Transaction>& transaction) {
    const auto& certificate = transaction->head().client_certificate;
    respond(*transaction, certificate ? certificate->subject : "(none)");
  };
  for (const std::string mode : {"optional", "required"}) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      for (const std::string name : {"localhost", "shop.test"}) {
        CAPTURE(mode);
        CAPTURE(version);
        CAPTURE(name);
        setting.config.client_certificates.mode = mode;
        auto server = serve(setting.load(), tell_client);
        const auto get = [&](const TestCertificate* certificate) {
          return TlsClient(server.port(),
                           {.host = name, .max_version = version, .certificate = certificate})
              .get();
        };
        CHECK(get(&billing) == "CN=billing");
        CHECK((get(nullptr) == "(none)") == (mode == "optional"));
        // For a client of TLS 1.3, a handshake that the server refuses is complete.
        for (const TestCertificate* refused : {&stranger, &expired}) {
          const std::string response = get(refused);
          CHECK((response == "(cannot send)" || response == "(end)"));
        }
      }
    }
  }
}

TEST_CASE("client certificates: a certificate is verified in each handshake") {
  Setting setting;
  const auto& folder = setting.folder.path();
  const TestCertificate authority(folder, "clients", {.name = "clients", .is_authority = true});
  const TestCertificate billing(folder, "billing", {.name = "billing", .issuer = &authority});
  setting.config.client_certificates = {.ca = authority.certificate_file(), .mode = "required"};
  auto server = serve(setting.load());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    CAPTURE(version);
    TlsClient first(server.port(), {.max_version = version, .certificate = &billing});
    REQUIRE(first.get() == "secure");
    const std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session(
        SSL_get1_session(first.channel.get()), SSL_SESSION_free);
    CHECK_FALSE(SSL_SESSION_has_ticket(session.get()));
    TlsClient second(server.port(),
                     {.max_version = version, .resumed = session.get(), .certificate = &billing});
    CHECK(second.get() == "secure");
    CHECK_FALSE(SSL_session_reused(second.channel.get()));
  }
}

TEST_CASE("client certificates: other authorities are used when their file has changed") {
  Setting setting;
  const auto& folder = setting.folder.path();
  const TestCertificate first(folder, "first", {.name = "first", .is_authority = true});
  const TestCertificate second(folder, "second", {.name = "second", .is_authority = true});
  const TestCertificate client(folder, "client", {.name = "client", .issuer = &second});
  const auto file = folder / "clients.pem";
  std::filesystem::copy_file(first.certificate_file(), file);
  setting.config.client_certificates = {.ca = file.string(), .mode = "required"};
  auto server = serve(setting.load());
  const auto get = [&] { return TlsClient(server.port(), {.certificate = &client}).get(); };
  CHECK(get() != "secure");
  std::filesystem::copy_file(second.certificate_file(), file,
                             std::filesystem::copy_options::overwrite_existing);
  request_certificate_reload();
  REQUIRE(eventually([&] { return get() == "secure"; }));
  std::ofstream(file) << "no certificate";
  request_certificate_reload();
  REQUIRE(eventually([&] {
    return setting.reports.contain("/server/tls/clientCertificates/ca: " + file.string() +
                                   ": the file has no certificate in PEM");
  }));
  CHECK(get() == "secure");
}

TEST_CASE("client certificates: files of authorities that cannot be used are errors") {
  Setting setting;
  const auto& folder = setting.folder.path();
  const auto error_with = [&](const std::string& file) {
    setting.config.client_certificates.ca = file;
    const auto errors = setting.errors();
    return errors.size() == 1 ? errors[0] : std::to_string(errors.size()) + " errors";
  };
  CHECK(error_with((folder / "none.pem").string()) ==
        "/clientCertificates/ca: none.pem: No such file or directory");
  CHECK(error_with(setting.certificate.key_file()) ==
        "/clientCertificates/ca: server.key.pem: the file has no certificate in PEM");
  const TestCertificate expired(
      folder, "expired", {.name = "clients", .is_authority = true, .begin = -48h, .end = -24h});
  CHECK(error_with(expired.certificate_file())
            .starts_with("/clientCertificates/ca: expired.pem: the certificate of CN=clients has "
                         "expired on 20"));
  const TestCertificate authority(folder, "clients", {.name = "clients", .is_authority = true});
  setting.config.client_certificates.ca = authority.certificate_file();
  const auto lines = describe_certificates(setting.config);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].find("clients.pem: CN=clients, an authority of clients, valid until 20") !=
        std::string::npos);
}

TEST_CASE("tls: many clients that vanish during the handshake leave nothing") {
  Setting setting;
  auto server = serve(setting.load());
  for (int i = 0; i < 200; ++i) {
    Client client(server.port());
    client.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
    if (i % 2 == 0) client.reset();
  }
  CHECK(TlsClient(server.port()).get() == "secure");
  CHECK(server.stop(1min));
}

}  // namespace tls_test
