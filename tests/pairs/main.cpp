// Goes through all pairs of features, and with --triples through random triples of them. See
// README.md.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "application.hpp"
#include "base/ascii.hpp"
#include "feature.hpp"
#include "redis_server.hpp"
#include "report.hpp"
#include "scenarios.hpp"
#include "support/scripted_upstream.hpp"
#include "temporary_directory.hpp"
#include "walk.hpp"

namespace pairs {
namespace {

struct Arguments {
  std::vector<std::string> features;  ///< of the only application; empty: all pairs
  int triples = 0;                    ///< random ones, in addition
  unsigned seed = 1;
  bool has_redis = false;
  int sockets = 8;  ///< every n-th application is also asked over sockets
};

constexpr std::string_view kUsage =
    "usage: pairs_test [--only FEATURE,FEATURE…] [--triples NUMBER] [--seed NUMBER]\n"
    "                  [--sockets EVERY] [--redis] [--list]\n";

using FeatureSet = std::vector<const Feature*>;

const Feature* find_feature(std::string_view name) {
  const auto features = all_features();
  const auto found = std::ranges::find(features, name, &Feature::name);
  return found == features.end() ? nullptr : &*found;
}

/// The application without features, with each of them, and with each pair.
std::vector<FeatureSet> all_pairs() {
  const auto features = all_features();
  std::vector<FeatureSet> sets = {{}};
  for (const Feature& feature : features) sets.push_back({&feature});
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t j = i + 1; j < features.size(); ++j) {
      sets.push_back({&features[i], &features[j]});
    }
  }
  return sets;
}

/// Triples about which a check was wrong, although it was right about all pairs.
constexpr std::array<std::array<std::string_view, 3>, 1> kKnownTriples = {{
    {"cache-headers", "own-freshness", "events"},
}};

void add_known_triples(std::vector<FeatureSet>& sets) {
  for (const auto& names : kKnownTriples) {
    FeatureSet& set = sets.emplace_back();
    for (const std::string_view name : names) set.push_back(find_feature(name));
  }
}

void add_triples(std::vector<FeatureSet>& sets, int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto features = all_features();
  for (int i = 0; i < count; ++i) {
    FeatureSet set;
    for (const Feature& feature : features) set.push_back(&feature);
    std::ranges::shuffle(set, random);
    set.resize(3);
    std::ranges::sort(set);
    sets.push_back(std::move(set));
  }
}

class Run {
 public:
  Run(const Arguments& arguments, Report& report) : arguments_(arguments), report_(report) {
    if (arguments.has_redis) redis_ = std::make_unique<fairway::test::RedisServer>();
  }

  void visit(const FeatureSet& features) {
    const Plan plan{.features = features};
    visit_in_process(plan);
    const bool has_sockets = features.size() < 2 || ++pairs_ % arguments_.sockets == 0;
    if (has_sockets) visit_over_sockets(plan);
    if (redis_) visit_with_redis(features);
  }

 private:
  /// False if it does not start, which is right only if a message says so for these features.
  bool begin(const Plan& plan) {
    report_.begin_application(plan.name(), plan.features.size());
    try {
      Application app(plan);
      return true;
    } catch (const fw::StartupError& error) {
      // A method with a body may require a key of the application's own.
      const bool is_documented = std::ranges::any_of(
          plan.features, [](const Feature* feature) { return feature->name == "post-cache"; });
      report_.check(
          "nothing-lost/start", is_documented, [] { return "an application that starts"; },
          [&] { return "    " + std::string(error.what()) + "\n"; });
      return false;
    }
  }

  void visit_in_process(const Plan& plan) {
    if (!begin(plan)) return;
    Application app(plan);
    walk(app, random(), report_);
    imitate_keys(app, report_);
    sent_errors(app, report_);
    shared_errors(app, report_);
    unobserved_part(app, report_);
    read_after_invalidation(app, report_);
    read_after_invalidation_while_running(app, report_);
    unrelated_invalidation(app, report_);
    followers_time_out(app, report_);
    missing_upload(app, report_);
    forwarded_query(app, report_);
    destroyed_session(app, report_);
    random_queries(app, report_);
    failing_store(app, report_);
    long_limit_keys(app, report_);
    exceed_rate_limit(app, report_);
    if (plan.features.size() < 2) {
      other_process(plan, report_);
      check_options(plan, report_);
    }
  }

  void visit_over_sockets(const Plan& plan) {
    if (!begin(plan)) return;
    compare_with_socket(plan, report_);
    if (plan.features.size() < 2) {
      pipelined_requests(plan, report_);
      crowded_run(plan, report_);
      held_bodies(plan, report_);
    }
    Plan networked = plan;
    networked.way = Way::http1;
    Application app(networked);
    followers_disconnect(app, report_);
    other_version(app, report_);
  }

  void visit_with_redis(const FeatureSet& features) {
    const auto store = std::make_shared<WatchedStore>(
        fw::redis_store({.url = "unix://" + redis_->unix_socket(),
                         .key_prefix = "pairs" + std::to_string(++redis_applications_) + ":",
                         .timeout = 60'000}),
        true);
    const Plan plan{.features = features, .store = store};
    if (!begin(plan)) return;
    Application app(plan);
    const bool uses_store = app.blueprint().cache || app.blueprint().config.session.enabled ||
                            app.blueprint().has("revalidated-page");
    if (!uses_store) return;
    walk(app, random(), report_);
    imitate_keys(app, report_);
    read_after_invalidation(app, report_);
    read_after_invalidation_while_running(app, report_);
    unrelated_invalidation(app, report_);
    followers_time_out(app, report_);
    destroyed_session(app, report_);
    // When the release of a claim fails, the next request waits until it expires.
    if (features.size() < 2) failing_store(app, report_);
  }

  std::mt19937* random() { return arguments_.triples > 0 ? &random_ : nullptr; }

  const Arguments& arguments_;
  Report& report_;
  std::mt19937 random_{arguments_.seed};
  std::unique_ptr<fairway::test::RedisServer> redis_;
  int pairs_ = 0;
  int redis_applications_ = 0;
};

/// Sends back what it has received, as JSON. The body of /held never ends.
void echo(fw::support::ScriptedConnection& connection, std::atomic<int>& held) {
  for (std::string request; !(request = connection.read_request()).empty();) {
    if (request.starts_with("GET /held")) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin");
      ++held;
      connection.wait_for_end();
      --held;
      return;
    }
    const bool is_head = request.starts_with("HEAD");
    if (is_head) request.replace(0, 4, "GET");
    // It knows nobody but the tenant, and says so.
    std::string seen;
    fw::base::for_each_token(request, '\n', [&](std::string_view line) {
      if (!line.starts_with("x-forwarded-") && !line.starts_with("via:"))
        seen.append(line).append("\n");
    });
    const std::string body = fw::Json{{"received", seen}}.dump();
    connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        "Cache-Control: public, max-age=60\r\nVary: X-Tenant\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + (is_head ? "" : body));
  }
}

int run(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const fairway::test::TemporaryDirectory directory;
  directory.write("locales/en-US.json", R"({"greeting": "language-en-c4n"})");
  directory.write("locales/de-DE.json", R"({"greeting": "language-de-c4n"})");
  directory.write("files/hello.txt", "a file that is the same for everybody\n");
  const auto held = std::make_shared<std::atomic<int>>(0);
  const fw::support::ScriptedUpstream upstream(
      [held](fw::support::ScriptedConnection& connection) { echo(connection, *held); });
  set_surroundings({.locales = directory.path() / "locales",
                    .files = directory.path() / "files",
                    .upstream = upstream.url(),
                    .nobody = "http://127.0.0.1:1/",
                    .held = held});
  std::vector<FeatureSet> sets;
  if (arguments.features.empty()) {
    sets = all_pairs();
    add_known_triples(sets);
    add_triples(sets, arguments.triples, arguments.seed);
  } else {
    FeatureSet& only = sets.emplace_back();
    for (const std::string& name : arguments.features) only.push_back(find_feature(name));
  }
  Report report;
  Run all(arguments, report);
  for (const FeatureSet& set : sets) all.visit(set);
  report.write(std::cout,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return report.has_violations() ? 1 : 0;
}

/// Throws std::invalid_argument.
Arguments parse(const std::vector<std::string_view>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word(words[i]);
    const auto next = [&] {
      if (++i == words.size()) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    const auto number = [&] {
      const std::string_view digits = next();
      int value = 0;
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc() || end != digits.data() + digits.size() || value < 0) {
        throw std::invalid_argument(word + " needs a number");
      }
      return value;
    };
    if (word == "--triples") {
      arguments.triples = number();
    } else if (word == "--seed") {
      arguments.seed = static_cast<unsigned>(number());
    } else if (word == "--sockets") {
      arguments.sockets = std::max(1, number());
    } else if (word == "--redis") {
      arguments.has_redis = true;
    } else if (word == "--only") {
      fw::base::for_each_token(next(), ',', [&](std::string_view name) {
        if (find_feature(name) == nullptr) {
          throw std::invalid_argument("there is no feature " + std::string(name) + "; see --list");
        }
        arguments.features.emplace_back(name);
      });
    } else {
      throw std::invalid_argument("unknown option " + word);
    }
  }
  return arguments;
}

}  // namespace
}  // namespace pairs

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words == std::vector<std::string_view>{"--list"}) {
    for (const pairs::Feature& feature : pairs::all_features()) std::cout << feature.name << '\n';
    return 0;
  }
  pairs::Arguments arguments;
  try {
    arguments = pairs::parse(words);
  } catch (const std::invalid_argument& error) {
    std::cerr << "pairs_test: " << error.what() << '\n' << pairs::kUsage;
    return 2;
  }
  return pairs::run(arguments);
}
