// Analyses that do not end by themselves.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <unistd.h>
#include <vector>

#include "lsp/folder_analysis.hpp"

namespace analysis_limits_test {

using namespace fairway;
using namespace fairway::lsp;
using namespace std::chrono_literals;

namespace {

/// What an analysis of a text does that keeps Clang busy.
void compute_for_ever(int) {
  for (std::atomic<int> rounds = 0;; ++rounds) {
  }
}

/// One folder, and what the server hears about it.
struct Folder {
  process::EventLoop loop;
  Documents documents;
  std::vector<std::uint64_t> analysed;  ///< generations
  FolderAnalysis analysis;

  Folder(rpc::HelperProcess::Program program, const FolderAnalysis::Limits& limits)
      : analysis(loop, documents, "/tmp", std::move(program),
                 {.analysed =
                      [this](const FolderAnalysis& folder) {
                        analysed.push_back(folder.analysed());
                        loop.stop();
                      },
                  .respond = [](const Json&) {}},
                 limits) {}
};

}  // namespace

TEST_CASE("language server: an analysis that takes too long is ended") {
  Folder folder(compute_for_ever, {.total = 200ms, .outdated = 1h, .interval = 10ms});
  folder.analysis.begin(1);
  folder.loop.run();
  CHECK(folder.analysed == std::vector<std::uint64_t>{1});
  CHECK(folder.analysis.error() ==
        "the analysis has used more than 0.2 s of processor time: it starts again with the next "
        "change; undo the last one if this happens again");
  folder.analysis.begin(2);  // in another process
  folder.loop.run();
  CHECK(folder.analysed == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("language server: an analysis of an earlier text ends soon") {
  Folder folder(compute_for_ever, {.total = 1h, .outdated = 100ms, .interval = 10ms});
  folder.analysis.begin(1);
  folder.loop.after(50ms, [&] { folder.analysis.begin(2); });
  folder.loop.run();
  CHECK(folder.analysed == std::vector<std::uint64_t>{1});
}

TEST_CASE("language server: an analysis that waits is not ended") {
  // It uses no processor time, like one on a busy machine.
  Folder folder(
      [](int connection) {
        sleep(1);
        ::close(connection);
      },
      {.total = 100ms, .outdated = 100ms, .interval = 10ms});
  folder.analysis.begin(1);
  folder.loop.run();
  CHECK(folder.analysis.error().starts_with("the analysis has ended with"));
}

}  // namespace analysis_limits_test
