// oat++: its asynchronous API, DTOs, the order checked by hand.
#include <cstdlib>
#include <oatpp/core/async/Executor.hpp>
#include <oatpp/core/macro/codegen.hpp>
#include <oatpp/network/Server.hpp>
#include <oatpp/network/tcp/server/ConnectionProvider.hpp>
#include <oatpp/parser/json/mapping/ObjectMapper.hpp>
#include <oatpp/web/server/AsyncHttpConnectionHandler.hpp>
#include <oatpp/web/server/HttpRouter.hpp>
#include <oatpp/web/server/api/ApiController.hpp>

#if BENCH_OATPP_OPENSSL
#include <oatpp-openssl/Config.hpp>
#include <oatpp-openssl/server/ConnectionProvider.hpp>
#endif
#if BENCH_OATPP_ZLIB
#include <oatpp-zlib/EncoderProvider.hpp>
#endif

#include "workload.hpp"

namespace {

#include OATPP_CODEGEN_BEGIN(DTO)

class HelloDto : public oatpp::DTO {
  DTO_INIT(HelloDto, DTO)
  DTO_FIELD(String, message);
  DTO_FIELD(Int32, version);
  DTO_FIELD(Boolean, ok);
};

class UserDto : public oatpp::DTO {
  DTO_INIT(UserDto, DTO)
  DTO_FIELD(String, id);
  DTO_FIELD(String, name);
  DTO_FIELD(Boolean, active);
};

class ItemDto : public oatpp::DTO {
  DTO_INIT(ItemDto, DTO)
  DTO_FIELD(String, sku);
  DTO_FIELD(String, name);
  DTO_FIELD(Int64, quantity);
  DTO_FIELD(Float64, price);
};

class OrderDto : public oatpp::DTO {
  DTO_INIT(OrderDto, DTO)
  DTO_FIELD(String, customer);
  DTO_FIELD(String, email);
  DTO_FIELD(String, currency);
  DTO_FIELD(String, note);
  DTO_FIELD(Vector<Object<ItemDto>>, items);
};

class ArticlesDto : public oatpp::DTO {
  DTO_INIT(ArticlesDto, DTO)
  DTO_FIELD(Vector<Object<ItemDto>>, items);
};

class PlacedDto : public oatpp::DTO {
  DTO_INIT(PlacedDto, DTO)
  DTO_FIELD(Int64, id);
  DTO_FIELD(String, status);
  DTO_FIELD(Int64, count);
  DTO_FIELD(Float64, total);
};

class UploadDto : public oatpp::DTO {
  DTO_INIT(UploadDto, DTO)
  DTO_FIELD(Int64, size);
};

#include OATPP_CODEGEN_END(DTO)

/// The value of a member that the order must have.
template <class Member>
auto required(const Member& member) {
  if (!member) throw std::invalid_argument("member");
  return *member;
}

bench::Order<std::string> read_order(const oatpp::Object<OrderDto>& dto) {
  if (!dto) throw std::invalid_argument("body");
  bench::Order<std::string> order;
  order.customer = required(dto->customer);
  order.email = required(dto->email);
  order.currency = required(dto->currency);
  if (dto->note) order.note = *dto->note;
  if (!dto->items) throw std::invalid_argument("items");
  for (const auto& item : *dto->items) {
    order.items.push_back({.sku = required(item->sku),
                           .name = required(item->name),
                           .quantity = required(item->quantity),
                           .price = required(item->price)});
  }
  return order;
}

class Controller : public oatpp::web::server::api::ApiController {
 public:
  using ApiController::ApiController;

#include OATPP_CODEGEN_BEGIN(ApiController)

  // clang-format off: it takes the blocks of the macros for initializers

  ENDPOINT_ASYNC("GET", "/hello", Hello) {
    ENDPOINT_ASYNC_INIT(Hello)

    Action act() override {
      const auto body = HelloDto::createShared();
      body->message = "Hello, World!";
      body->version = 1;
      body->ok = true;
      return _return(controller->createDtoResponse(Status::CODE_200, body));
    }
  };

  ENDPOINT_ASYNC("GET", "/users/{id}", GetUser) {
    ENDPOINT_ASYNC_INIT(GetUser)

    Action act() override {
      const auto body = UserDto::createShared();
      body->id = request->getPathVariable("id");
      body->name = "Ada Lovelace";
      body->active = true;
      return _return(controller->createDtoResponse(Status::CODE_200, body));
    }
  };

  ENDPOINT_ASYNC("POST", "/orders", CreateOrder) {
    ENDPOINT_ASYNC_INIT(CreateOrder)

    Action act() override {
      return request
          ->readBodyToDtoAsync<oatpp::Object<OrderDto>>(controller->getDefaultObjectMapper())
          .callbackTo(&CreateOrder::respond);
    }

    Action respond(const oatpp::Object<OrderDto>& order) {
      const auto body = PlacedDto::createShared();
      try {
        const auto placed = bench::place_order(read_order(order));
        body->id = placed.id;
        body->status = placed.status;
        body->count = placed.count;
        body->total = placed.total;
      } catch (const std::invalid_argument& error) {
        return _return(controller->createResponse(Status::CODE_400, error.what()));
      }
      return _return(controller->createDtoResponse(Status::CODE_201, body));
    }
  };

  ENDPOINT_ASYNC("POST", "/upload", Upload) {
    ENDPOINT_ASYNC_INIT(Upload)

    Action act() override {
      return request->readBodyToStringAsync().callbackTo(&Upload::respond);
    }

    Action respond(const oatpp::String& text) {
      const auto body = UploadDto::createShared();
      body->size = static_cast<std::int64_t>(text->size());
      return _return(controller->createDtoResponse(Status::CODE_200, body));
    }
  };

  ENDPOINT_ASYNC("GET", "/articles", ListArticles) {
    ENDPOINT_ASYNC_INIT(ListArticles)

    Action act() override {
      const auto body = ArticlesDto::createShared();
      body->items = oatpp::Vector<oatpp::Object<ItemDto>>::createShared();
      for (const auto& article : bench::articles()) {
        const auto item = ItemDto::createShared();
        item->sku = article.sku;
        item->name = article.name;
        item->quantity = article.quantity;
        item->price = article.price;
        body->items->push_back(item);
      }
      return _return(controller->createDtoResponse(Status::CODE_200, body));
    }
  };

#include OATPP_CODEGEN_END(ApiController)
};
// clang-format on

std::shared_ptr<oatpp::network::ServerConnectionProvider> listen(std::uint16_t port) {
  const oatpp::network::Address address("127.0.0.1", port, oatpp::network::Address::IP_4);
  if (const auto certificate = bench::certificate()) {
#if BENCH_OATPP_OPENSSL
    return oatpp::openssl::server::ConnectionProvider::createShared(
        oatpp::openssl::Config::createDefaultServerConfigShared(certificate->chain,
                                                                certificate->key),
        address);
#else
    throw std::runtime_error("built without oatpp-openssl");
#endif
  }
  return oatpp::network::tcp::server::ConnectionProvider::createShared(address);
}

void serve(std::uint16_t port) {
  const auto mapper = oatpp::parser::json::mapping::ObjectMapper::createShared();
  const auto router = oatpp::web::server::HttpRouter::createShared();
  router->addController(std::make_shared<Controller>(mapper));
  // Another thread waits for connections, and one for timers.
  const auto executor = std::make_shared<oatpp::async::Executor>(bench::threads(), 1, 1);
  const auto components = std::make_shared<oatpp::web::server::HttpProcessor::Components>(router);
  if (bench::compresses()) {
#if BENCH_OATPP_ZLIB
    const auto encoders =
        std::make_shared<oatpp::web::protocol::http::encoding::ProviderCollection>();
    encoders->add(std::make_shared<oatpp::zlib::GzipEncoderProvider>());
    components->contentEncodingProviders = encoders;
#else
    throw std::runtime_error("built without oatpp-zlib");
#endif
  }
  oatpp::network::Server server(
      listen(port),
      std::make_shared<oatpp::web::server::AsyncHttpConnectionHandler>(components, executor));
  server.run();
}

}  // namespace

int main(int, char** argv) {
  oatpp::base::Environment::init();
  serve(static_cast<std::uint16_t>(std::atoi(argv[1])));
  oatpp::base::Environment::destroy();
}
