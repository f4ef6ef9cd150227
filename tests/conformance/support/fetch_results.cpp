#include "support/fetch_results.hpp"

#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

namespace responses {
namespace {

/// Called in a catch clause.
fw::Json thrown() {
  try {
    throw;
  } catch (const fw::TimeoutError& error) {
    return {{"threw", "timeout"}, {"message", error.what()}};
  } catch (const fw::NetworkError&) {
    return {{"threw", "network"}};
  } catch (const fw::AbortError&) {
    return {{"threw", "abort"}};
  } catch (const fw::OptionError&) {
    return {{"threw", "option"}};
  }
}

}  // namespace

std::string up(const fw::Router& app, std::string_view path) {
  return app.config().app.value("up", "") + std::string(path);
}

std::string up_with_id(const fw::Router& app, const fw::Request& req, std::string_view path) {
  return up(app, path) + std::string(req.request_id());
}

fw::Json summary(fw::FetchResponse response) {
  const std::string text = response.text();
  fw::Json body = fw::Json::parse(text, nullptr, false);
  if (body.is_discarded()) body = text;
  return {{"status", response.status()}, {"ok", response.ok()}, {"body", std::move(body)}};
}

void fetched(fw::Response& res, const std::function<fw::FetchResponse()>& call) {
  fw::Json response;
  try {
    response = summary(call());
  } catch (...) {
    response = thrown();
  }
  res.json(std::move(response));
}

void fetched_with_delays(fw::Response& res,
                         const std::function<fw::FetchResponse(fw::RetryDelay)>& call) {
  std::vector<int> attempts;
  fw::Json response = summary(call(fw::RetryDelay([&attempts](int attempt) {
    attempts.push_back(attempt);
    return 1;
  })));
  response["attempts"] = attempts;
  res.json(std::move(response));
}

void fetched_until(fw::Response& res, std::chrono::milliseconds delay,
                   const std::function<fw::FetchResponse(std::stop_token)>& call) {
  std::stop_source source;
  if (delay.count() == 0) source.request_stop();
  const std::jthread later([&] {
    std::this_thread::sleep_for(delay);
    source.request_stop();
  });
  fetched(res, [&] { return call(source.get_token()); });
}

}  // namespace responses
