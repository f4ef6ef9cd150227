#include "contract_test/contract_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "base/methods.hpp"
#include "base/random.hpp"
#include "base/suggest.hpp"
#include "files/data_file.hpp"
#include "files/user_error.hpp"

namespace fairway::contract_test {
namespace {

/// Seeds the random numbers of each operation separately, so that one can be repeated alone. The
/// hash is FNV-1a.
std::uint32_t seed_of(const std::string& id, std::uint32_t seed) {
  std::uint32_t hash = 2166136261U ^ seed;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

Headers expanded(const Headers& headers, const Variables& variables) {
  Headers result;
  for (const auto& [name, value] : headers) result.emplace_back(name, expand(value, variables));
  return result;
}

std::map<std::string, Json> expanded(const std::map<std::string, Json>& values,
                                     const Variables& variables) {
  std::map<std::string, Json> result;
  for (const auto& [name, value] : values) result[name] = expand(value, variables);
  return result;
}

/// The cookies of the steps of one operation.
class Cookies {
 public:
  void keep(const Response& response) {
    for (const auto& [name, value] : response.headers) {
      if (!fw::base::equal_ignoring_case(name, "set-cookie")) continue;
      const std::string pair = value.substr(0, value.find(';'));
      const std::size_t equals = pair.find('=');
      if (equals != std::string::npos) cookies_[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
  }

  void add_to(Headers& headers) const {
    std::string field;
    for (const auto& [name, value] : cookies_) {
      field += fmt::format("{}{}={}", field.empty() ? "" : "; ", name, value);
    }
    if (!field.empty()) headers.emplace_back("cookie", field);
  }

 private:
  std::map<std::string, std::string> cookies_;
};

class Test {
 public:
  Test(const diff::Document& document, const Settings& settings, const TestOptions& options)
      : checker_(document),
        operations_(read_operations(document)),
        settings_(settings),
        options_(options),
        client_(options.url),
        sockets_(options.url) {
    std::vector<std::string_view> ids;
    for (const Operation& operation : operations_) ids.push_back(operation.id);
    const auto require = [&](const std::string& id, std::string_view where) {
      if (std::ranges::find(ids, id) != ids.end()) return;
      throw UserError(fmt::format("{}: there is no operation '{}'{}", where, id,
                                  fw::base::did_you_mean(id, ids)));
    };
    for (const auto& [id, values] : settings.operations) {
      require(id, "/operations of the settings");
      const auto operation = std::ranges::find(operations_, id, &Operation::id);
      if (operation->socket && !values.body.is_null()) {
        throw UserError(
            fmt::format("/operations/{}/body: the request for a socket has no body", id));
      }
    }
    for (const std::string& id : options.operations) require(id, "--operation");
  }

  Report run() {
    for (const Operation& operation : operations_) {
      if (has_ended_) break;
      const auto& only = options_.operations;
      if (!only.empty() && std::ranges::find(only, operation.id) == only.end()) continue;
      const auto values = settings_.operations.find(operation.id);
      const OperationSettings& own =
          values == settings_.operations.end() ? kNoSettings : values->second;
      if (own.exclude.empty()) {
        test(operation, own);
      } else {
        report_.excluded.push_back({operation.id, own.exclude});
      }
    }
    return std::move(report_);
  }

 private:
  void test(const Operation& operation, const OperationSettings& own) {
    ++report_.operations;
    std::set<int> statuses;  // of valid requests
    has_stream_ = false;
    messages_.clear();
    handles_messages_ = true;
    if (operation.socket) {
      RandomSource random(seed_of(operation.id, options_.seed));
      messages_ = make_messages(operation, checker_, random);
    }
    std::vector<Request> requests = prepare(operation, own);
    for (std::size_t i = 0; i < requests.size() && !has_ended_; ++i) {
      const int status = test(operation, requests[i]);
      if (requests[i].expectation == Expectation::accepted && status != 0) statuses.insert(status);
      // What the steps have prepared may be gone, or in use.
      const bool has_changes = status != 0 && status < 400 && !fw::base::is_safe(operation.method);
      if (has_changes && !settings_.before.empty()) requests = prepare(operation, own);
    }
    const bool has_success = std::ranges::any_of(statuses, [](int status) { return status < 400; });
    const bool has_failed = std::ranges::any_of(
        report_.failures, [&](const Failure& each) { return each.operation == operation.id; });
    if (!has_success && !has_failed && !statuses.empty()) {
      report_.gaps.push_back({operation.id, fmt::format("every valid request got status {}",
                                                        fmt::join(statuses, " or "))});
    }
  }

  /// Runs the steps and makes the requests. Another call for the same operation makes the same
  /// requests, except for the values of variables: `random`, and what the steps have saved.
  std::vector<Request> prepare(const Operation& operation, const OperationSettings& own) {
    Variables variables = {{"random", fw::base::make_uuid()}};
    Cookies cookies;
    for (const Step& step : settings_.before) take(step, variables, cookies);
    RequestContext context{.checker = checker_,
                           .headers = expanded(settings_.headers, variables),
                           .credentials = expanded(settings_.credentials, variables),
                           .values = own,
                           .directory = settings_.directory};
    cookies.add_to(context.credentials);
    context.values.path = expanded(own.path, variables);
    context.values.query = expanded(own.query, variables);
    context.values.cookies = expanded(own.cookies, variables);
    context.values.headers = expanded(own.headers, variables);
    context.values.body = expand(own.body, variables);
    return make_requests(operation, context, RandomSource(seed_of(operation.id, options_.seed)),
                         options_.valid_requests);
  }

  /// Returns the status; 0 if there was no response.
  int test(const Operation& operation, const Request& request) {
    ++report_.requests;
    Response response;
    std::optional<Violation> violation;
    try {
      response = operation.socket ? sockets_.open(request) : send(request);
      violation = check_response(checker_, operation, request, response, options_.error_statuses);
      if (!violation && response.status == kSwitchingProtocols) violation = check_opening(response);
    } catch (const NoResponse& error) {
      violation = without_response(error);
    }
    if (violation) {
      add({.operation = operation.id,
           .request = request,
           .response = response,
           .violation = *std::move(violation)});
    } else if (response.status == kSwitchingProtocols) {
      talk(operation, request);
    }
    return response.status;
  }

  /// The first stream of the operation is read for a while; of others, the head is enough.
  Response send(const Request& request) {
    constexpr std::chrono::seconds kStreamTime{1};
    Response response =
        client_.send(request, has_stream_ ? std::chrono::seconds::zero() : kStreamTime);
    has_stream_ = has_stream_ || is_stream_type(response.header("content-type"));
    return response;
  }

  Violation without_response(const NoResponse& error) {
    const std::string end = options_.end_of_program();
    has_ended_ = !end.empty();
    return {end.empty() ? "no response" : "the program ended", "a response",
            end.empty() ? error.what() : "the program " + end};
  }

  /// Sends the messages to the socket that the request has opened; the invalid ones to the first
  /// socket only.
  void talk(const Operation& operation, const Request& opening) {
    if (!handles_messages_) return;
    bool is_open = say(operation, opening, nullptr);
    for (const SocketMessage& message : messages_) {
      if (has_ended_ || !handles_messages_) return;
      // A socket that the application has closed.
      if (!is_open && !reopens(opening)) return;
      ++report_.requests;
      is_open = say(operation, opening, &message);
    }
    std::erase_if(messages_, [](const SocketMessage& message) { return !message.is_valid; });
    if (is_open) sockets_.close();
  }

  bool reopens(const Request& opening) try {
    return sockets_.open(opening).status == kSwitchingProtocols;
  } catch (const NoResponse&) {
    return false;
  }

  /// Returns whether the socket is still open.
  bool say(const Operation& operation, const Request& opening, const SocketMessage* message) {
    SocketReply reply;
    std::optional<Violation> violation;
    try {
      reply = exchange(sockets_, operation, message);
      violation = check_reply(checker_, operation, message, reply);
      if (reply.end && reply.end->is_lost()) {
        violation = without_response(NoResponse("the connection was closed"));
      }
    } catch (const NoResponse& error) {
      violation = without_response(error);
      handles_messages_ = false;
    }
    if (!violation) return !reply.end;
    const bool is_silent = reply.texts.empty() && !reply.end;
    Failure failure{.operation = operation.id,
                    .request = opening,
                    .response = {.status = is_silent ? 0 : kSwitchingProtocols,
                                 .headers = {},
                                 .body = reply.text()},
                    .violation = *std::move(violation)};
    if (message != nullptr) {
      failure.message = message->text;
      failure.request.reason = message->reason;
    }
    add(std::move(failure));
    return !reply.end && !is_silent;
  }

  void add(Failure failure) {
    for (Failure& other : report_.failures) {
      const Violation& known = other.violation;
      if (other.operation == failure.operation && known.title == failure.violation.title &&
          known.expected == failure.violation.expected) {
        ++other.repetitions;
        return;
      }
    }
    report_.failures.push_back(std::move(failure));
  }

  void take(const Step& step, Variables& variables, Cookies& cookies) {
    Request request{.method = step.method, .target = expand(step.target, variables)};
    for (const auto& [name, value] : settings_.headers) {
      // The others need what a later step saves.
      if (knows_variables(value, variables)) {
        request.headers.emplace_back(name, expand(value, variables));
      }
    }
    const Headers own = expanded(step.headers, variables);
    request.headers.insert(request.headers.end(), own.begin(), own.end());
    cookies.add_to(request.headers);
    if (!step.body.is_null()) {
      request.body = expand(step.body, variables).dump();
      request.headers.emplace_back("content-type", "application/json");
    }
    const Response response = client_.send(request);
    const std::string name = fmt::format("the step {} {}", request.method, request.target);
    if (response.status >= 400) {
      throw UserError(fmt::format("{} got status {}:\n{}", name, response.status, response.body));
    }
    cookies.keep(response);
    if (step.save.empty()) return;
    const Json body = files::read_data(name, response.body);
    for (const auto& [variable, pointer] : step.save) {
      try {
        variables[variable] = body.at(Json::json_pointer(pointer));
      } catch (const Json::exception&) {
        throw UserError(
            fmt::format("{}: the response has nothing at '{}':\n{}", name, pointer, response.body));
      }
    }
  }

  static inline const OperationSettings kNoSettings;

  SchemaChecker checker_;
  std::vector<Operation> operations_;
  const Settings& settings_;
  const TestOptions& options_;
  HttpClient client_;
  SocketClient sockets_;
  std::vector<SocketMessage> messages_;  ///< for the sockets of the operation
  bool has_stream_ = false;              ///< whether a stream of the operation has been read
  bool handles_messages_ = true;         ///< of the operation; each one that it does not takes long
  Report report_;
  bool has_ended_ = false;  ///< the program
};

}  // namespace

Report run_contract_test(const diff::Document& document, const Settings& settings,
                         const TestOptions& options) {
  return Test(document, settings, options).run();
}

}  // namespace fairway::contract_test
