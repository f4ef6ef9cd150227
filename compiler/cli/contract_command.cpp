// fairway contract: tests that an application does what its OpenAPI document says.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "contract_test/contract_test.hpp"
#include "contract_test/served_program.hpp"
#include "emit/openapi.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct ContractTestOptions {
  std::string document;
  fs::path program;
  std::string url;
  fs::path settings;
  unsigned seed = 1;
  unsigned requests = 20;
  std::vector<std::string> operations;
  bool is_strict = false;
};

/// The command that repeats the test.
std::string repeat_command(const ContractTestOptions& options) {
  std::string command =
      fmt::format("cd {} && fairway contract {}", fs::current_path().string(), options.document);
  if (!options.program.empty()) command += " --program " + options.program.string();
  if (!options.url.empty()) command += " --url " + options.url;
  if (!options.settings.empty()) command += " --settings " + options.settings.string();
  if (options.is_strict) command += " --strict";
  return command + fmt::format(" --seed {} --requests {}", options.seed, options.requests);
}

int run(const ContractTestOptions& options) {
  if (options.document.empty()) {
    throw command::UsageError("the document is missing: write 'fairway contract OPENAPI'");
  }
  if (options.program.empty() == options.url.empty()) {
    throw command::UsageError("exactly one of --program and --url is required");
  }
  const diff::Document document =
      diff::read_document(options.document, emit::default_openapi_document);
  if (document.source() == diff::Document::Source::metrics) {
    throw diff::BadDocument(
        fmt::format("{}: is a list of metrics, not an OpenAPI document", options.document));
  }
  const contract_test::Settings settings = options.settings.empty()
                                               ? contract_test::Settings{}
                                               : contract_test::read_settings(options.settings);
  contract_test::TestOptions test{.url = options.url,
                                  .seed = options.seed,
                                  .valid_requests = options.requests,
                                  .operations = options.operations,
                                  .error_statuses = options.is_strict
                                                        ? contract_test::ErrorStatuses::declared
                                                        : contract_test::ErrorStatuses::any};
  std::optional<contract_test::ServedProgram> program;
  if (!options.program.empty()) {
    program.emplace(options.program);
    test.url = program->url();
    test.end_of_program = [&] { return program->end(); };
  }
  const contract_test::Report report = contract_test::run_contract_test(document, settings, test);
  std::cout << contract_test::report_text(
      report, options.url.empty() ? "http://127.0.0.1:PORT" : options.url, repeat_command(options));
  const bool is_good = report.failures.empty() && (report.gaps.empty() || !options.is_strict);
  return is_good ? command::kClean : command::kFindings;
}

}  // namespace

void declare_contract(command::Command& command) {
  const auto options = std::make_shared<ContractTestOptions>();
  command.operand("OPENAPI", options->document);
  command.synopsis = "[options] OPENAPI";
  command.description =
      "Sends valid and invalid requests, which are made at random from the schemas of an OpenAPI "
      "document, and checks each response against the statuses and schemas that the document "
      "declares; over sockets, messages. The same seed makes the same requests. In CMake, use "
      "fairway_add_contract_test.";
  command.examples = {
      {"fairway contract build/dev/fairway/shop/openapi.json --program build/dev/shop",
       "start the program, test it, stop it"},
      {"fairway contract openapi.json --url http://127.0.0.1:3000 --operation getOrder",
       "test one operation of a running server"}};
  const command::OptionGroup server = command.group("Server");
  server.path("--program", "PROGRAM", options->program,
              "start PROGRAM in the working directory, with PORT in its environment set to a free "
              "port, and FAIRWAY_ENV set to 'test' unless it is already set");
  server.path("--url", "URL", options->url, "test a running server");
  const command::OptionGroup requests = command.group("Requests");
  requests.path("--settings", "FILE", options->settings,
                "JSON or YAML file with credentials, values and excluded operations");
  requests.count("--seed", "NUMBER", options->seed, "seed of the random values; default: 1");
  requests.count("--requests", "NUMBER", options->requests,
                 "valid requests for each operation; default: 20");
  requests.list("--operation", "ID", options->operations,
                "test only this operation; may be repeated");
  const command::OptionGroup report = command.group("Report");
  report.flag("--strict", options->is_strict,
              "also fail on 4xx statuses that only 'default' declares, and on operations for which "
              "no valid request succeeds");
  command.clean = "all responses are as declared";
  command.findings = "responses that are not as declared, or failures that --strict adds";
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
