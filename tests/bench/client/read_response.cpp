// Reads a response of the sample `orders` a number of times, as its client does, or by way of a
// JSON tree: bench_client reader|tree order|sorted|list TIMES
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <orders_client.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using orders_api::Json;
using orders_api::Order;
namespace detail = orders_api::detail;

/// An order of 1 KB, in the order of its schema.
std::string order(int id) {
  std::string items;
  for (int i = 0; i < 14; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"productId":)" + std::to_string(1000 + i) +
             R"(,"quantity":)" + std::to_string(1 + i) + R"(,"priceCents":)" +
             std::to_string(1999 + 100 * i) + "}";
  }
  return R"({"id":)" + std::to_string(id) + R"(,"customerId":4711,"status":"paid","items":[)" +
         items + R"(],"totalCents":268905,"note":"Please leave it with the neighbour at number )" +
         R"(seven, who is at home until six. She has the key to the cellar \"Caf\u00e9\", too."})";
}

std::string envelope(const std::string& data) {
  return R"({"code":200,"message":"OK","data":)" + data +
         R"(,"requestId":"0b7e3d52-6b1c-4f0e-9c39-5d1c2a8e4f17"})";
}

std::string list_of_orders() {
  std::string list = "[" + order(1);
  for (int id = 2; id <= 100; ++id) list.append(",").append(order(id));
  return list.append("]");
}

template <class T>
std::size_t read(const std::string& body, bool with_tree, long times) {
  std::size_t bytes = 0;
  const detail::Received received{.operation = "bench", .info = {.status = 200}, .body = body};
  for (long i = 0; i < times; ++i) {
    const T value = with_tree ? detail::decode<T>(Json::parse(received.body).at("data"))
                              : detail::read_data<T>(received);
    bytes += sizeof(value) + body.size();
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: bench_client reader|tree order|sorted|list TIMES\n", stderr);
    return 2;
  }
  const bool with_tree = std::string_view(argv[1]) == "tree";
  const std::string_view name = argv[2];
  const long times = std::atol(argv[3]);
  std::size_t bytes = 0;
  if (name == "order") bytes = read<Order>(envelope(order(1)), with_tree, times);
  // Members in the order of the alphabet, as a service writes them that has trees.
  if (name == "sorted") {
    bytes = read<Order>(Json::parse(envelope(order(1))).dump(), with_tree, times);
  }
  if (name == "list") {
    bytes = read<std::vector<Order>>(envelope(list_of_orders()), with_tree, times);
  }
  return bytes == 0 ? 1 : 0;
}
