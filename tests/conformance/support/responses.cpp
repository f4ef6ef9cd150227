#include "support/responses.hpp"

#include <array>
#include <thread>
#include <utility>

namespace responses {
namespace {

constexpr std::array<std::pair<fw::LogLevel, std::string_view>, 7> kLevels = {{
    {fw::LogLevel::trace, "trace"},
    {fw::LogLevel::debug, "debug"},
    {fw::LogLevel::info, "info"},
    {fw::LogLevel::warn, "warn"},
    {fw::LogLevel::error, "error"},
    {fw::LogLevel::fatal, "fatal"},
    {fw::LogLevel::silent, "silent"},
}};

std::string_view name_of(fw::Location location) {
  switch (location) {
    case fw::Location::param:
      return "param";
    case fw::Location::query:
      return "query";
    case fw::Location::header:
      return "header";
    case fw::Location::cookie:
      return "cookie";
    case fw::Location::body:
      return "body";
  }
  return "";
}

struct Trace {
  std::vector<std::string> texts;
};

}  // namespace

void ok(fw::Request&, fw::Response& res) { res.json({{"ok", true}}); }

void identity(fw::Request& req, fw::Response& res) {
  const fw::AuthContext& auth = req.auth();
  fw::Json identity = {
      {"isAuthenticated", auth.is_authenticated}, {"roles", auth.roles}, {"scopes", auth.scopes}};
  if (!auth.user_id.empty()) identity["userId"] = auth.user_id;
  if (!auth.subject.empty()) identity["subject"] = auth.subject;
  if (auth.error) identity["error"] = *auth.error;
  res.json(identity);
}

void facts(fw::Request& req, fw::Response& res) {
  res.json({{"path", req.path()},
            {"route", req.route()},
            {"url", req.url()},
            {"params", req.params()},
            {"query", req.query()}});
}

void tagged(fw::Request& req, fw::Response& res, std::string_view tag) {
  res.json({{"tag", tag},
            {"route", req.route()},
            {"params", req.params()},
            {"query", req.query()},
            {"path", req.path()}});
}

void request_line(fw::Request& req, fw::Response& res) {
  fw::Json facts = {{"method", req.method()},
                    {"url", req.url()},
                    {"path", req.path()},
                    {"route", req.route()},
                    {"ip", req.ip()},
                    {"protocol", req.protocol()},
                    {"idLength", req.request_id().size()}};
  if (const auto multi = req.header("x-multi")) facts["multi"] = *multi;
  res.json(facts);
}

void parsed_body(fw::Request& req, fw::Response& res) {
  res.json({{"body", req.body().is_null() ? fw::Json("<absent>") : req.body()}});
}

void uploads(fw::Request& req, fw::Response& res) {
  constexpr std::size_t kShown = 20;
  const auto first_characters = [](std::string_view text) {
    std::size_t end = 0;
    for (std::size_t count = 0; end < text.size(); ++end) {
      const bool begins_character = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
      if (begins_character && count++ == kShown) break;
    }
    return text.substr(0, end);
  };
  fw::Json files = fw::Json::array();
  for (const fw::ParsedFile& file : req.files()) {
    files.push_back({{"fieldname", file.fieldname},
                     {"filename", file.filename},
                     {"mimetype", file.mimetype},
                     {"size", file.size},
                     {"text", first_characters(file.buffer)}});
  }
  res.json({{"files", files}, {"body", req.body().is_null() ? fw::Json("<absent>") : req.body()}});
}

void valid(fw::Request& req, fw::Response& res, std::initializer_list<fw::Location> locations,
           bool mark_absent) {
  fw::Json response = {
      {"rawQuery", req.query()}, {"rawBody", req.body()}, {"rawParams", req.params()}};
  for (const fw::Location location : locations) {
    const fw::Json& data = req.valid(location);
    response[std::string(name_of(location))] =
        data.is_null() && mark_absent ? fw::Json("<absent>") : data;
  }
  res.json(response);
}

fw::Json session_data(fw::Request& req) {
  fw::Json data = fw::Json::object();
  for (const std::string_view key : {"n", "t", "y"}) {
    if (const auto value = req.session().get<fw::Json>(key)) data[std::string(key)] = *value;
  }
  return data;
}

void session(fw::Request& req, fw::Response& res) {
  res.json({{"isNew", req.session().is_new()}, {"data", session_data(req)}});
}

void count_in_session(fw::Request& req, fw::Response& res) {
  fw::Session& session = req.session();
  const int n = session.get<int>("n").value_or(0) + 1;
  session.set("n", n);
  res.json({{"n", n}, {"idLength", session.id().size()}});
}

fw::Readable chunks(std::vector<std::string> texts, std::chrono::milliseconds delay) {
  return fw::Readable([texts = std::move(texts), delay,
                       next = std::size_t{0}](std::span<char> buffer) mutable -> std::size_t {
    if (next == texts.size()) return 0;
    if (next > 0) std::this_thread::sleep_for(delay);
    const std::string& text = texts[next++];
    return text.copy(buffer.data(), buffer.size());
  });
}

Counter new_counter() { return std::make_shared<std::atomic<int>>(0); }

void hits(const Counter& counter, fw::Response& res, int status) {
  const int count = ++*counter;
  res.json({{"hits", count}}, status);
}

void log_lines(const fw::Logger& logger) {
  logger.info("hello w", {{"a", 1}, {"nested", {{"b", fw::Json::array({1, nullptr})}}}});
  logger.warn("plain");
  logger.error("boom", std::runtime_error("boom"));
  logger.child({{"mod", "m"}}).info("child");
  logger.debug("hidden");
  logger.fatal("f");
  logger.trace("t");
  logger.info("multi\nline \"q\" \u00e9\x01");
}

std::string level_name(const fw::Logger& logger) {
  for (const auto& [level, name] : kLevels) {
    if (level == logger.level()) return std::string(name);
  }
  return "";
}

void set_level(const fw::Logger& logger, std::string_view name) {
  for (const auto& [level, level_name] : kLevels) {
    if (level_name == name) logger.set_level(level);
  }
}

std::vector<std::string>& trace(fw::Request& req) {
  if (req.get<Trace>() == nullptr) req.set(Trace{});
  return req.get<Trace>()->texts;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
  }
  return count;
}

void wait(std::chrono::milliseconds duration) { std::this_thread::sleep_for(duration); }

void wait_for(const std::stop_token& token, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!token.stop_requested() && std::chrono::steady_clock::now() < deadline) {
    wait(std::chrono::milliseconds(2));
  }
}

}  // namespace responses
