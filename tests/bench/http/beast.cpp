// Boost.Beast's own fast server in essence: asynchronous, a strand-free io_context for each thread,
// string bodies, nlohmann for JSON.
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "workload.hpp"

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;
using Tcp = asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Tcp::socket socket) : stream_(std::move(socket)) {
    stream_.socket().set_option(Tcp::no_delay(true));
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(64 * 1024 * 1024);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->respond();
                     });
  }

 private:
  void respond() {
    const Request& request = parser_->get();
    response_.emplace(http::status::ok, request.version());
    response_->keep_alive(request.keep_alive());
    response_->set(http::field::content_type, "application/json");
    const auto target = view(request.target());
    if (target == "/stream") return stream();
    if (request.method() == http::verb::post) {
      response_->result(http::status::created);
      try {
        response_->body() = bench::place_order(nlohmann::json::parse(request.body())).dump();
      } catch (const std::exception&) {
        response_->result(http::status::bad_request);
      }
    } else if (target == "/hello") {
      response_->body() = bench::hello().dump();
    } else if (target.starts_with("/users/")) {
      response_->body() = bench::user(std::string(target.substr(7))).dump();
    } else {
      response_->set(http::field::content_type, "text/plain");
      response_->body() = bench::file();
    }
    response_->prepare_payload();
    http::async_write(stream_, *response_,
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }

  void stream() {
    head_.emplace(http::status::ok, 11);
    head_->chunked(true);
    serializer_.emplace(*head_);
    pieces_ = bench::kPieces;
    http::async_write_header(stream_, *serializer_,
                             [self = shared_from_this()](error_code error, std::size_t) {
                               if (!error) self->stream_piece();
                             });
  }

  void stream_piece() {
    static const std::string piece(bench::kPiece, 'x');
    const auto next = [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->stream_piece();
    };
    if (pieces_ == 0) {
      asio::async_write(stream_, http::make_chunk_last(),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          if (!error) self->read();
                        });
      return;
    }
    --pieces_;
    asio::async_write(stream_, http::make_chunk(asio::buffer(piece)), next);
  }

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Response> response_;
  std::optional<http::response<http::empty_body>> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  std::size_t pieces_ = 0;
};

/// Each thread accepts for itself, as SO_REUSEPORT lets it.
void serve(unsigned short port) {
  asio::io_context context(1);
  Tcp::acceptor acceptor(context);
  acceptor.open(Tcp::v4());
  acceptor.set_option(asio::socket_base::reuse_address(true));
  acceptor.set_option(asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true));
  acceptor.bind({asio::ip::address_v4::loopback(), port});
  acceptor.listen(4096);
  std::function<void()> accept = [&] {
    acceptor.async_accept([&](error_code error, Tcp::socket socket) {
      if (!error) std::make_shared<Session>(std::move(socket))->read();
      accept();
    });
  };
  accept();
  context.run();
}

}  // namespace

int main(int, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 0; i < bench::threads(); ++i) {
    threads.emplace_back(serve, static_cast<unsigned short>(std::atoi(argv[1])));
  }
  for (auto& thread : threads) thread.join();
}
