#include "rejected_group.hpp"

#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sys/wait.h>

#include "running_group.hpp"
#include "temporary_directory.hpp"

namespace conformance {
namespace {

struct Outcome {
  int status = 0;
  std::string output;
};

Outcome run_compiler(const std::string& arguments) {
  const std::string command = std::string(FAIRWAY_PROGRAM) + " " + arguments + " --flags-file " +
                              FAIRWAY_FLAGS_FILE + " --cache-dir " + FAIRWAY_CACHE_DIR + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run the route compiler");
  Outcome outcome;
  std::array<char, 4096> chunk;
  while (const std::size_t count = fread(chunk.data(), 1, chunk.size(), pipe)) {
    outcome.output.append(chunk.data(), count);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

void check_mentions(const Json& expect, const std::string& message,
                    std::vector<std::string>& failures) {
  for (const Json& text : expect.value("mentions", Json::array())) {
    if (message.find(text.get<std::string>()) == std::string::npos) {
      failures.push_back("mentions: " + text.dump() + " is not in " + message);
    }
  }
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What two routes of one application must not share: the method with the path but for the names of
/// its parameters, and the operationId.
std::vector<std::string> identities(const Json& test_case) {
  static const std::regex names("[:*][A-Za-z0-9_]*");
  const std::string path =
      std::regex_replace(lower_case(test_case.at("path").get<std::string>()), names, ":");
  return {test_case.at("method").get<std::string>() + " " + path, test_case.at("operationId")};
}

/// Cases that can be routes of one application, so that few runs of the compiler serve all.
std::vector<std::vector<std::size_t>> compatible_batches(const std::vector<Json>& cases) {
  std::vector<std::vector<std::size_t>> batches;
  std::vector<std::set<std::string>> taken;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const auto own = identities(cases[index]);
    std::size_t batch = 0;
    while (batch < batches.size() &&
           (taken[batch].contains(own[0]) || taken[batch].contains(own[1]))) {
      ++batch;
    }
    if (batch == batches.size()) {
      batches.emplace_back();
      taken.emplace_back();
    }
    batches[batch].push_back(index);
    taken[batch].insert(own.begin(), own.end());
  }
  return batches;
}

void write_route_file(const std::filesystem::path& folder, const std::vector<Json>& cases,
                      const std::vector<std::size_t>& batch) {
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "index.cpp");
  file << "#include <fairway/fairway.hpp>\n"
          "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n";
  for (const std::size_t index : batch) {
    const std::string method = lower_case(cases[index].at("method"));
    file << "  app." << (method == "delete" ? "del" : method) << "(\""
         << cases[index].at("path").get<std::string>()
         << "\", [](fw::Request&, fw::Response& res) { res.json(1); });\n";
  }
  file << "});\n";
}

std::vector<std::string> check_operation(const Json& test_case, const Json& document) {
  const std::string path = test_case.at("openapiPath");
  const std::string method = lower_case(test_case.at("method"));
  const Json paths = document.value("paths", Json::object());
  if (!paths.contains(path)) return {"the document has no path " + path + ": " + paths.dump()};
  const Json& item = paths.at(path);
  if (!item.contains(method)) return {"no operation: " + item.dump()};
  const Json came = item.at(method).value("operationId", Json());
  if (came == test_case.at("operationId")) return {};
  return {"operationId: expected " + test_case.at("operationId").dump() + ", came " + came.dump()};
}

}  // namespace

std::vector<std::string> check_rejected(const Group& group, const fw::Json& config,
                                        const Json& expect) {
  std::vector<std::string> failures;
  if (group.table == nullptr) {
    const fairway::test::TemporaryDirectory scratch;
    const std::string source =
        std::string(CONFORMANCE_DIR) + "/" + group.area + "/" + group.name + "/src";
    const Outcome outcome =
        run_compiler("build --source-dir " + source + " --out-dir " + scratch.path().string());
    if (outcome.status != 1) {
      failures.push_back("the build of the route files was to fail, its exit status is " +
                         std::to_string(outcome.status) + ": " + outcome.output);
    }
    check_mentions(expect, outcome.output, failures);
    return failures;
  }
  try {
    const RunningGroup application(group, config);
    failures.push_back("the application was to be rejected, and it started");
  } catch (const fw::StartupError& error) {
    check_mentions(expect, error.what(), failures);
  }
  return failures;
}

std::vector<std::vector<std::string>> check_operation_ids(const std::vector<Json>& cases) {
  std::vector<std::vector<std::string>> failures(cases.size());
  for (const std::vector<std::size_t>& batch : compatible_batches(cases)) {
    const fairway::test::TemporaryDirectory scratch;
    write_route_file(scratch.path() / "src/routes", cases, batch);
    const Outcome outcome =
        run_compiler("openapi --source-dir " + (scratch.path() / "src").string());
    const Json document = Json::parse(outcome.output, nullptr, false);
    for (const std::size_t index : batch) {
      failures[index] = document.is_object()
                            ? check_operation(cases[index], document)
                            : std::vector<std::string>{"no document: " + outcome.output};
    }
  }
  return failures;
}

}  // namespace conformance
