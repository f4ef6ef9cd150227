// As fetch.cpp, with libcurl's multi interface and nothing else. Usage: bench_outbound_multi URL
// [CONCURRENCY [SECONDS]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <curl/curl.h>
#include <string>
#include <vector>

namespace {

std::size_t append(char* data, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(data, size * count);
  return size * count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_outbound_multi URL [CONCURRENCY [SECONDS]]\n", stderr);
    return 2;
  }
  const auto concurrency = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 64);
  const int seconds = argc > 3 ? std::atoi(argv[3]) : 2;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* const multi = curl_multi_init();
  std::vector<std::string> bodies(concurrency);
  for (std::string& body : bodies) {
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &body);
    curl_multi_add_handle(multi, easy);
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto end = begin + std::chrono::seconds(seconds);
  long requests = 0;
  while (std::chrono::steady_clock::now() < end) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
      CURL* const easy = message->easy_handle;
      std::string* body = nullptr;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &body);
      if (message->data.result != CURLE_OK || body->empty()) std::abort();
      body->clear();
      ++requests;
      curl_multi_remove_handle(multi, easy);
      curl_multi_add_handle(multi, easy);
    }
    curl_multi_poll(multi, nullptr, 0, 100, nullptr);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto count = static_cast<double>(requests);
  std::printf("{\"rate\": %.0f, \"cpu\": %.1f}\n", count / elapsed.count(),
              static_cast<double>(std::clock()) / CLOCKS_PER_SEC * 1e6 / count);
}
