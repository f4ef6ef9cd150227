#include <fairway/logger.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "eventually.hpp"
#include "exchange/current.hpp"
#include "logging/async_sink.hpp"
#include "logging/line_format.hpp"
#include "support/allocation_count.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace logger_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::LogLevel;
using fw::LogRecord;
using fw::support::LogLine;

LogLine record(std::string message) {
  LogLine result;
  result.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'714'564'800'007));
  result.message = std::move(message);
  return result;
}

std::string json_line(const LogRecord& record) {
  fw::detail::JsonWriter line;
  fw::detail::write_json_line(line, record);
  return std::string(line.content());
}

std::string pretty_line(const LogRecord& record, bool color = false) {
  fw::detail::TextWriter line;
  fw::detail::write_pretty_line(line, record, color);
  return std::string(line.content());
}

/// A log file that is removed at the end.
class LogFile {
 public:
  fw::LoggerConfig config() const {
    fw::LoggerConfig result;
    result.file = path();
    return result;
  }
  std::string text() const {
    std::ostringstream stream;
    stream << std::ifstream(path()).rdbuf();
    return stream.str();
  }
  std::string path() const { return directory_.path() / "test.log"; }

 private:
  fairway::test::TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("logger: members of the JSON line and their order") {
  LogLine line = record("multi\nline \"q\" é\x01");
  line.request_id = "R1";
  line.bindings = {{"mod", "m"}};
  line.fields = {{"a", 1}, {"nested", {{"b", {1, nullptr}}}}};
  const std::string text = json_line(line);
  CHECK(std::regex_match(
      text, std::regex(R"(\{"level":30,"time":"2024-05-01T12:00:00\.007Z","pid":[0-9]+,)"
                       R"("hostname":"[^"]+","mod":"m","requestId":"R1","a":1,)"
                       R"("nested":\{"b":\[1,null\]\},)"
                       R"("msg":"multi\\nline \\"q\\" é\\u0001"\}\n)")));
  CHECK(json_line(record("x")).find("requestId") == std::string::npos);
}

TEST_CASE("logger: an error has type, message and stack, in this order") {
  LogLine line = record("boom");
  line.fields = fw::error_fields(std::runtime_error("boom"));
  CHECK(json_line(line).find(R"("err":{"type":"std::runtime_error","message":"boom",)"
                             R"("stack":"std::runtime_error: boom"},"msg":"boom"})") !=
        std::string::npos);
}

TEST_CASE("logger: format of the pretty line") {
  LogLine line = record("GET /x 200 1ms | ::1");
  line.request_id = "hidden";
  CHECK(std::regex_match(pretty_line(line),
                         std::regex(R"(\[\d\d:\d\d:00\.007\] INFO: GET /x 200 1ms \| ::1\n)")));
  line.level = LogLevel::error;
  CHECK(pretty_line(line, true).find("] \x1b[31mERROR\x1b[0m: GET") != std::string::npos);
  line.bindings = {{"mod", "m"}};
  line.fields = {{"a", 1}};
  line.message = "esc\x1b[2J";
  CHECK(pretty_line(line).find("ERROR: esc\\x1b[2J {\"mod\":\"m\",\"a\":1}\n") !=
        std::string::npos);
}

TEST_CASE("logger: request data can neither forge a pretty line nor control the terminal") {
  const auto message = [](std::string text) {
    LogLine line = record(std::move(text));
    const std::string whole = pretty_line(line);
    const auto begin = whole.find("INFO: ") + 6;
    return whole.substr(begin, whole.size() - begin - 1);
  };
  CHECK(message("a\nb\r") == "a\\nb\\x0d");
  CHECK(message("tab\tstays, héllo 😀 too") == "tab\tstays, héllo 😀 too");
  CHECK(message("\xC2\x9B"
                "2J \xC2\x85") == "\\u009b2J \\u0085");
  CHECK(message("\xE2\x80\xAE"
                "gnp.exe \xE2\x81\xA6 \xE2\x80\xA8") == "\\u202egnp.exe \\u2066 \\u2028");
  CHECK(message("\x9B\xFF") == "\\x9b\\xff");
  LogLine line = record("m");
  line.fields = {{"path", "\xC2\x9B\n"}};
  CHECK(pretty_line(line).find(R"(INFO: m {"path":"\u009b\n"})") != std::string::npos);
}

TEST_CASE("logger: levels, child loggers and the current request") {
  auto sink = std::make_shared<fw::support::RecordingSink>();
  const fw::Logger logger(sink, LogLevel::info);
  const fw::Logger child = logger.child({{"mod", "m"}}).child({{"sub", 1}});
  logger.debug("hidden");
  logger.set_level(LogLevel::debug);
  child.debug("seen");
  {
    const fw::detail::RequestContext context{"R1"};
    const fw::detail::CurrentContextScope scope(&context);
    logger.error("failed", std::runtime_error("why"));
  }
  logger.set_level(LogLevel::silent);
  child.fatal("nothing gets through");
  const auto records = sink->records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].bindings == Json{{"mod", "m"}, {"sub", 1}});
  CHECK(records[0].request_id.empty());
  CHECK(records[1].request_id == "R1");
  CHECK(records[1].fields["err"]["message"] == "why");
  CHECK(fw::parse_log_level("warn") == LogLevel::warn);
  CHECK(!fw::parse_log_level("loud"));
  CHECK(to_string(logger.level()) == "silent");
}

TEST_CASE("logger: no line is lost at the end, and lines of threads are not interleaved") {
  const LogFile file;
  {
    const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&logger, t] {
        for (int i = 0; i < 500; ++i) logger.info("line", {{"t", t}, {"i", i}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream lines(file.text());
  std::map<int, int> next;
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    CHECK(json["i"] == next[json["t"].get<int>()]++);
  }
  for (int t = 0; t < 4; ++t) CHECK(next[t] == 500);
}

TEST_CASE("logger: lines of different threads are in the order in which they were logged") {
  constexpr int kThreads = 3;
  constexpr int kLines = 30'000;
  const LogFile file;
  {
    const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
    std::atomic<int> next = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = t; i < kLines; i += kThreads) {
          for (int seen = 0; (seen = next.load()) != i;) next.wait(seen);
          logger.info(std::to_string(i));
          // Several rounds of the writer, and its sleep.
          if (i % (kLines / 10) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(12));
          next.store(i + 1);
          next.notify_all();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream lines(file.text());
  int expected = 0;
  for (std::string line; std::getline(lines, line); ++expected) {
    REQUIRE(Json::parse(line)["msg"] == std::to_string(expected));
  }
  CHECK(expected == kLines);
}

TEST_CASE("logger: an error is written at once, whichever thread logs") {
  const LogFile file;
  const fw::Logger logger(
      std::make_shared<fw::detail::AsyncSink>(file.config(), std::chrono::hours(1)));
  for (int i = 0; i < 40; ++i) {
    std::thread([&] { logger.error("line " + std::to_string(i)); }).join();
    const std::string expected = "\"msg\":\"line " + std::to_string(i) + "\"";
    REQUIRE(eventually([&] { return file.text().find(expected) != std::string::npos; }));
  }
}

TEST_CASE("logger: flush returns when the lines are in the file") {
  const LogFile file;
  const fw::Logger logger(
      std::make_shared<fw::detail::AsyncSink>(file.config(), std::chrono::hours(1)));
  bool is_written = false;
  // On a busy machine, it may return before.
  for (int i = 0; i < 20 && !is_written; ++i) {
    const std::string expected = "line " + std::to_string(i);
    const auto has_line = [&] { return file.text().find(expected) != std::string::npos; };
    logger.info(expected);
    logger.sink()->flush();
    is_written = has_line();
    REQUIRE(eventually(has_line));
  }
  CHECK(is_written);
}

TEST_CASE("logger: a stalled reader of the log delays flush and shutdown only briefly") {
  const LogFile file;
  REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
  const int reader = ::open(file.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  const auto begin = std::chrono::steady_clock::now();
  {
    const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
    for (int i = 0; i < 100; ++i) logger.info(std::string(10'000, 'x'));
    logger.sink()->flush();
    logger.sink()->flush();
  }
  // A stop that waits for the reader waits for ever.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  ::close(reader);  // and lets the thread that is left behind go
}

namespace {

/// The messages in a log of which three lines have come while the disk was full.
std::vector<std::string> messages_after_full_disk() {
  const LogFile file;
  const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
  logger.info("before");
  logger.sink()->flush();
  // A limit on files is the full disk of one process; the signal that comes with it is blocked in
  // the writer's thread.
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full{file.text().size() + 10, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  for (int i = 0; i < 3; ++i) {
    logger.error("rejected");
    logger.sink()->flush();
  }
  setrlimit(RLIMIT_FSIZE, &limit);
  logger.info("after");
  logger.sink()->flush();
  std::istringstream lines(file.text());
  std::vector<std::string> messages;
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    messages.push_back(json.is_object() ? json["msg"].get<std::string>() : "cut off");
  }
  return messages;
}

}  // namespace

TEST_CASE("logger: lines rejected by a full disk are counted, and the next line is complete") {
  // The line that tells is written with the first that the disk takes.
  const std::vector<std::string> expected = {
      "before", "cut off", "after", "3 log lines were dropped: the log output did not take them"};
  // On a busy machine, `flush` may return before the writer has tried to write.
  std::vector<std::string> messages;
  eventually([&] { return (messages = messages_after_full_disk()) == expected; });
  CHECK(messages == expected);
}

TEST_CASE("logger: at most 64 MiB of lines wait for a blocked output, others are counted") {
  constexpr std::size_t kLine = 1024 * 1024;
  const LogFile file;
  REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
  const int reader = ::open(file.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
  logger.error("first");
  logger.info(std::string(kLine, 'f'));
  // It fills the pipe, and waits no longer.
  REQUIRE(eventually([&] {
    int bytes = 0;
    return ::ioctl(reader, FIONREAD, &bytes) == 0 && bytes > 32 * 1024;
  }));
  // From several threads, because each has a part of the memory.
  for (int t = 0; t < 3; ++t) {
    std::thread([&] {
      for (int i = 0; i < 30; ++i) logger.info(std::string(kLine, 'x'));
    }).join();
  }
  std::string text;
  std::vector<char> buffer(kLine);
  constexpr std::string_view kLast = "were dropped";
  std::size_t searched = 0;  // not from the beginning each time: it is long
  while (text.find(kLast, searched) == std::string::npos) {
    searched = text.size() - std::min(text.size(), kLast.size());
    const ssize_t count = ::read(reader, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else {
      std::this_thread::yield();
    }
  }
  const auto kept = std::count(text.begin(), text.end(), '\n') - 3;
  CHECK(kept >= 62);
  CHECK(kept <= 64);
  CHECK(text.find(std::to_string(90 - kept) + " log lines were dropped") != std::string::npos);
  ::close(reader);
}

TEST_CASE("logger: memory of long lines is released") {
  constexpr std::size_t kLong = 6 * 1024 * 1024;
  const LogFile file;
  const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
  logger.info("first");
  logger.sink()->flush();
  const std::size_t before = fw::support::allocated_bytes();
  // Two, so that both buffers of the writer have had one.
  for (int i = 0; i < 2; ++i) {
    logger.info(std::string(kLong, 'x'));
    logger.sink()->flush();
  }
  // On a busy machine, `flush` may return before.
  CHECK(eventually([&] {
    logger.info("last");
    logger.sink()->flush();
    return file.text().size() > 2 * kLong;
  }));
  CHECK(eventually([&] { return fw::support::allocated_bytes() < before + kLong / 2; }));
}

TEST_CASE("logger: a renamed or removed file is reopened") {
  const LogFile file;
  const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
  const auto messages = [](const std::string& path) {
    std::ifstream stream(path);
    std::vector<std::string> result;
    for (std::string line; std::getline(stream, line);) result.push_back(Json::parse(line)["msg"]);
    return result;
  };
  using Messages = std::vector<std::string>;
  // Returns when it is in the file. On a busy machine, `flush` may return before.
  const auto log = [&](const std::string& message, const std::string& suffix = "") {
    logger.info(message);
    logger.sink()->flush();
    CHECK(eventually([&] {
      const Messages written = messages(file.path() + suffix);
      return !written.empty() && written.back() == message;
    }));
  };
  log("first");
  std::filesystem::rename(file.path(), file.path() + ".1");
  log("second");
  log("third");
  CHECK(messages(file.path() + ".1") == Messages{"first"});
  CHECK(messages(file.path()) == Messages{"second", "third"});
  std::filesystem::remove(file.path());
  log("fourth");
  CHECK(messages(file.path()) == Messages{"fourth"});
  // As logrotate does with "create".
  std::filesystem::rename(file.path(), file.path() + ".2");
  std::ofstream(file.path()).close();
  log("fifth");
  CHECK(messages(file.path()) == Messages{"fifth"});
  // Lines go to the old file while there can be no new one.
  std::filesystem::rename(file.path(), file.path() + ".3");
  std::filesystem::create_directory(file.path());
  log("sixth", ".3");
  CHECK(messages(file.path() + ".3") == Messages{"fifth", "sixth"});
}

TEST_CASE("logger: lines of several threads are written even without memory") {
  constexpr int kThreads = 4;
  constexpr int kLines = 3;
  constexpr std::size_t kLine = 30'000;
  const LogFile file;
  REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
  const int reader = ::open(file.path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(file.config()));
  logger.info(std::string(200'000, 'f'));  // fills the pipe
  logger.sink()->flush();
  for (int t = 0; t < kThreads; ++t) {
    std::thread([&] {
      for (int i = 0; i < kLines; ++i) logger.info(std::string(kLine, 'x'));
    }).join();
  }
  std::ptrdiff_t lines = 0;
  std::vector<char> buffer(64 * 1024);
  {
    const fw::support::FailingAllocations failing(kLine);
    while (lines < 1 + kThreads * kLines) {
      const ssize_t count = ::read(reader, buffer.data(), buffer.size());
      if (count > 0) lines += std::count(buffer.begin(), buffer.begin() + count, '\n');
      if (count <= 0) std::this_thread::yield();
    }
  }
  CHECK(lines == 1 + kThreads * kLines);
  ::close(reader);
}

TEST_CASE("logger: secrets are redacted by key and by path") {
  const LogFile file;
  fw::LoggerConfig config = file.config();
  config.redact_keys = {"password"};
  config.redact_paths = {"users.*.token", "list.1"};
  {
    const fw::Logger logger(std::make_shared<fw::detail::AsyncSink>(config));
    logger.info("x", {{"Password", "p1"},
                      {"deep", {{{"password", "p2"}}}},
                      {"users", {{{"token", "p3"}, {"name", "n"}}}},
                      {"token", "kept"},
                      {"list", {"kept", "p4", "kept"}}});
  }
  const Json json = Json::parse(file.text());
  CHECK(json["Password"] == "[Redacted]");
  CHECK(json["deep"][0]["password"] == "[Redacted]");
  CHECK(json["users"][0] == Json{{"token", "[Redacted]"}, {"name", "n"}});
  CHECK(json["token"] == "kept");
  CHECK(json["list"] == Json{"kept", "[Redacted]", "kept"});
}

TEST_CASE("logger: a file that cannot be opened fails the start") {
  fw::Config config = fw::testing::TestApp::test_config();
  config.logger.file = "no/such/folder/log";
  try {
    const fw::support::OneFileApp app([](fw::Router&) {}, config);
    FAIL("the application started");
  } catch (const fw::StartupError& error) {
    CHECK(error.errors().at(0).starts_with("logger.file: cannot open 'no/such/folder/log'"));
  }
}

}  // namespace logger_test
