// Runs sets of wire cases. Usage: wire_cases SERVER [--page FILE] SET...
// SERVER is the program to start, or the port of one that runs.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "result_page.hpp"
#include "support/server_process.hpp"

namespace {

int run(const std::vector<std::string>& arguments) {
  std::string page;
  std::vector<wire::SetResult> results;
  const auto& program = arguments.at(0);
  const bool runs = program.find_first_not_of("0123456789") == std::string::npos;
  const auto server = runs ? nullptr : std::make_unique<wire::ServerProcess>(program);
  const auto port = runs ? static_cast<std::uint16_t>(std::stoi(program)) : server->port();
  int faults = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--page") {
      page = arguments.at(++i);
      continue;
    }
    auto& result = results.emplace_back();
    result.set = wire::read_cases(arguments[i]);
    for (const auto& wire_case : result.set.cases) {
      result.results.push_back(wire::run_case(port, wire_case));
      for (const auto& fault : result.results.back().faults) {
        std::cerr << result.set.title << ": " << wire_case.name << ": " << fault << "\n";
        ++faults;
      }
    }
    std::cout << result.set.title << ": " << result.set.cases.size() << " cases\n";
    if (result.set.cases.empty()) throw std::runtime_error(arguments[i] + ": no cases");
  }
  if (!page.empty()) std::ofstream(page, std::ios::binary) << wire::result_page(results);
  return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: wire_cases SERVER [--page FILE] SET...\n";
    return 2;
  }
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "wire_cases: " << error.what() << "\n";
    return 2;
  }
}
