// The whole project: a file that calls every operation of the client and includes nothing else.
#include "every_client.hpp"

int main(int argc, char** argv) {
  using namespace every_api;
  if (argc < 2) return 0;
  EveryClient client({.base_url = argv[1],
                      .headers = {{"X-Tenant", "one"}},
                      .token = [] { return std::string("t"); },
                      .timeout = std::chrono::seconds(1),
                      .retry = {.max_retries = 1},
                      .tls = {.ca_file = "ca.pem"}});
  ClassBody body{.class_ = "c", .Hostile = {.Hostile = true}};
  const ClassResponse response = client.class_({.class_ = "x", .list = {{"a", "b"}}, .body = body});
  const Json tree = client.tree();
  const auto typed = tree.get<decltype(client.tree())>();
  client._2fast({.id = 1, .class_ = "c", .query_id = "q", .body = {.body = "b"}});
  client.request({.wildcard = "a/b"});
  const RawBody csv = client.café({.rest = "x"});
  client.options({.timeout = std::chrono::seconds(2)});
  client.ApiError_();
  client.transport_2();
  client.upload({.form = {.photo = {.content = "...", .filename = "a.jpg"}}});
  client.both({.form = BothForm{.photo = FilePart{.content = "..."}}});
  client.delete_();
  client.detail_();
  return csv.content.empty() && response.index() == 0 && typed == client.tree() ? 1 : 0;
}
