// A connection of HTTP/2: whatever a client sends, the server sends whole frames, handlers get
// well-formed heads, and nothing is left of the connection when it has ended.
//
// The first byte says what the rest is: frames as they are sent, or, if it is even, frames without
// their lengths, so that a change of a byte leaves the others where they are.
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <memory>
#include <span>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.hpp"
#include "http/epoll/connection.hpp"
#include "http/epoll/http2_connection.hpp"
#include "http/local_options.hpp"

namespace {

using namespace fw::http;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kMaxBuffered = 1024 * 1024;
constexpr std::size_t kMaxFrame = 16 * 1024;
constexpr std::size_t kMaxStreams = 4;

class Plan : public RequestPlan {
 public:
  std::uint64_t body_limit() const override { return 1'000; }
  bool prepare(const RequestHead&, const std::shared_ptr<WaitingRequest>&) noexcept override {
    return false;
  }
};

AdapterOptions fuzz_options() {
  AdapterOptions options = test::local_options();
  options.http2.cleartext = true;
  options.http2.max_concurrent_streams = kMaxStreams;
  options.max_header_size = 2'048;
  options.max_header_count = 20;
  options.max_buffered_bytes = kMaxBuffered;
  options.plan = [](const RequestHead& head) -> std::unique_ptr<RequestPlan> {
    if (head.target.ends_with('a')) return std::make_unique<Plan>();
    return nullptr;
  };
  return options;
}

/// Runs handlers, which do what the last character of their target says.
class Handlers : public StreamHost {
 public:
  void run_handler(const std::shared_ptr<Transaction>& transaction) noexcept override {
    const RequestHead& head = transaction->head();
    check(head);
    std::array<char, 100> buffer;
    constexpr std::uint64_t kLimit = 5'000;
    switch (head.target.back()) {
      case 'r':
        // A body that has not arrived yet is not waited for.
        while (transaction->read_body_part(kLimit, buffer, std::chrono::steady_clock::now()).size >
               0) {
        }
        break;
      case 's': {
        const auto produce = [left = 40](std::span<char> part) mutable -> std::size_t {
          if (left-- == 0) return 0;
          std::ranges::fill(part, 's');
          return std::min<std::size_t>(part.size(), 4'000);
        };
        transaction->respond_stream({}, std::nullopt, produce, {});
        return;
      }
      case 'n':
        return;
      default:
        break;
    }
    transaction->respond({}, std::string(head.target.size() * 50, 'x'));
  }
  std::pair<ResponseHead, std::string> render(const RequestError& error) override {
    ResponseHead head;
    head.status = error.status;
    return {std::move(head), std::string(error.message)};
  }
  void count_late() noexcept override {}

 private:
  static void check(const RequestHead& head) {
    const auto is_visible = [](char c) {
      return static_cast<unsigned char>(c) > 0x20 && c != 0x7F;
    };
    fuzz::require(!head.method.empty() && !head.target.empty());
    fuzz::require(std::ranges::all_of(head.method, is_visible));
    fuzz::require(std::ranges::all_of(head.target, is_visible));
    fuzz::require(head.fields.size() <= 20);
    std::size_t hosts = 0;
    for (const auto& [name, value] : head.fields) {
      if (name == "host") ++hosts;
      fuzz::require(!name.empty() && name[0] != ':' && std::ranges::all_of(name, is_visible));
      fuzz::require(value.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos);
    }
    fuzz::require(hosts == 1);
  }
};

void put(std::string& bytes, std::size_t number, int size) {
  while (size-- > 0) bytes += static_cast<char>(number >> 8 * size & 0xFF);
}

/// From type, flags, stream and length, a byte each, and the payload.
std::string frames_of(std::string_view input) {
  constexpr std::size_t kHead = 4;
  std::string bytes;
  while (input.size() >= kHead) {
    const auto stream = static_cast<unsigned char>(input[2]);
    const std::size_t size =
        std::min<std::size_t>(static_cast<unsigned char>(input[3]), input.size() - kHead);
    put(bytes, size, 3);
    bytes.append(input, 0, 2);
    put(bytes, stream, 4);
    bytes.append(input, kHead, size);
    input.remove_prefix(kHead + size);
  }
  return bytes;
}

/// What the client has received.
class Frames {
 public:
  void receive(int fd) {
    std::array<char, kMaxFrame> buffer;
    ssize_t size = 0;
    while ((size = recv(fd, buffer.data(), buffer.size(), 0)) > 0) {
      bytes_.append(buffer.data(), static_cast<std::size_t>(size));
    }
    check();
  }

 private:
  void check() {
    constexpr std::size_t kHead = 9;
    const auto number = [&](std::size_t at, int size) {
      std::size_t value = 0;
      while (size-- > 0) value = value << 8U | static_cast<unsigned char>(bytes_[at++]);
      return value;
    };
    while (bytes_.size() >= kHead) {
      const std::size_t size = number(0, 3);
      const std::size_t stream = number(5, 4);
      fuzz::require(size <= kMaxFrame && (stream == 0 || stream % 2 == 1));
      if (bytes_.size() < kHead + size) return;
      bytes_.erase(0, kHead + size);
    }
  }

  std::string bytes_;
};

/// Does what workers do, until there is nothing to do.
bool serve(const std::shared_ptr<Connection>& connection, Handlers& handlers, Frames& frames,
           int client) {
  RequestError error;
  constexpr int kRounds = 100;
  for (int i = 0; i < kRounds; ++i) {
    connection->begin_turn(0);
    const auto progress = connection->advance(error);
    frames.receive(client);
    switch (progress) {
      case Connection::Progress::head_complete:
        fuzz::require(connection->begin_http2(connection, handlers));
        break;
      case Connection::Progress::streams:
      case Connection::Progress::streams_turn_over:
        connection->http2()->run_tasks(TaskEvent::none);
        connection->http2()->run_tasks(TaskEvent::slow);
        frames.receive(client);
        break;
      case Connection::Progress::closed:
        return false;
      default:
        return true;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxInput = 64 * 1024;
  if (size == 0 || size > kMaxInput) return 0;
  const std::string_view input = fuzz::text_of(data, size).substr(1);
  const std::string sent =
      std::string(kPreface) + (data[0] % 2 == 0 ? frames_of(input) : std::string(input));

  std::array<int, 2> pair{};
  fuzz::require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) ==
                0);
  const FileDescriptor client(pair[0]);
  const auto context = std::make_shared<ConnectionContext>(fuzz_options());
  Handlers handlers;
  Frames frames;
  std::weak_ptr<Connection> ended;
  {
    constexpr std::uint64_t kId = 7;
    const auto connection = std::make_shared<Connection>(
        context, kId, AcceptedSocket{FileDescriptor(pair[1]), "127.0.0.1"},
        context->budget.admit("127.0.0.1"));
    ended = connection;
    fuzz::require(connection->acquire());
    std::string_view rest = sent;
    bool is_open = true;
    while (is_open && !rest.empty()) {
      const auto count = ::send(client.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
      is_open = serve(connection, handlers, frames, client.get()) && count > 0;
    }
    shutdown(client.get(), SHUT_WR);
    connection->note_disconnect(false);
    if (is_open) serve(connection, handlers, frames, client.get());
    if (auto* const http2 = connection->http2()) http2->end();
    connection->close();
  }
  fuzz::require(ended.expired());
  BufferBudget::Share everything(context->buffers);
  fuzz::require(everything.grow(kMaxBuffered));
  return 0;
}
