#include "dev/project_build.hpp"

#include <fmt/format.h>

#include <signal.h>
#include <utility>

#include "dev/stored_report.hpp"
#include "diagnostics/progress.hpp"
#include "files/user_error.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{100};
constexpr milliseconds kLockInterval{50};
constexpr milliseconds kBuildStopTime{3'000};

}  // namespace

ProjectBuild::ProjectBuild(process::MainLoop& main, BuildLock& lock, process::Console& console,
                           const CmakeProject& project, Options options, Done done)
    : main_(main),
      lock_(lock),
      console_(console),
      project_(project),
      options_(std::move(options)),
      done_(std::move(done)),
      inputs_(main.processes(), project) {}

void ProjectBuild::begin() {
  if (process_ != 0) {
    if (std::exchange(must_begin_again_, true)) return;
    const pid_t process = process_;
    main_.processes().signal(process, SIGTERM);
    main_.events().after(kBuildStopTime,
                         [this, process] { main_.processes().signal(process, SIGKILL); });
    return;
  }
  must_begin_again_ = false;
  if (lock_timer_ != 0) return;
  if (!lock_.try_acquire()) {
    console_.say(
        fmt::format("waiting for process {}, which builds in the same folder", lock_.holder()));
    wait_for_lock();
    return;
  }
  work_began_ = Clock::now();
  files_read_ = fs::file_time_type::clock::now();
  output_.emplace(work_began_);
  if (project_.is_configured()) {
    build();
  } else {
    configure();
  }
}

void ProjectBuild::wait_for_lock() {
  lock_timer_ = main_.events().after(kLockInterval, [this] {
    lock_timer_ = 0;
    if (main_.is_stopping()) return;
    if (lock_.try_acquire()) {
      begin();
    } else {
      wait_for_lock();
    }
  });
}

void ProjectBuild::configure() {
  console_.say("configuring the project");
  const bool can_choose = project_.is_new() && !project_.is_compiler_chosen();
  candidates_ = can_choose ? compiler_candidates() : std::vector<CompilerCandidate>();
  check_next_compiler();
}

void ProjectBuild::check_next_compiler() {
  if (candidates_.empty()) {
    configure_with(std::nullopt);
    return;
  }
  const CompilerCandidate candidate = candidates_.front();
  candidates_.erase(candidates_.begin());
  const auto configure_or_continue = [this, candidate](int status) {
    output_->discard();
    if (status != 0) {
      check_next_compiler();
    } else {
      configure_with(candidate.is_default ? std::nullopt : std::optional(candidate));
    }
  };
  run_tool(check_command(candidate, project_.scratch_folder()), configure_or_continue);
}

void ProjectBuild::configure_with(const std::optional<CompilerCandidate>& compiler) {
  const bool is_new = project_.is_new();
  run_tool(project_.configure_command(options_.configure_flags, compiler),
           [this, is_new, compiler](int status) {
             if (status != 0 && is_new) project_.forget_configuration();
             after_configure(status, compiler);
           });
}

void ProjectBuild::after_configure(int status, const std::optional<CompilerCandidate>& compiler) {
  if (status != 0 && compiler) {
    // The options of the project may be options of another compiler.
    output_->discard();
    configure_with(std::nullopt);
  } else if (status != 0) {
    fail();
  } else {
    // The project may choose another one in CMakeLists.txt.
    if (compiler && project_.cxx_compiler() == compiler->name) {
      console_.say(
          fmt::format("compiling with {}, the fastest compiler found (set CXX for another one)",
                      compiler->name));
    }
    build();
  }
}

void ProjectBuild::build() {
  output_->discard();
  try {
    const std::string target =
        options_.scope == Scope::all ? std::string() : project_.program().target;
    run_tool(project_.build_command(target), [this](int status) {
      if (status == 0) {
        end(std::nullopt);
      } else {
        fail();
      }
    });
  } catch (const UserError& error) {
    end(Failure{"The project cannot be built", std::string(error.what()) + '\n'});
  }
}

void ProjectBuild::run_tool(const std::vector<std::string>& command,
                            std::function<void(int)> done) {
  std::vector<std::string> environment = {
      fmt::format("{}={}", kReportsVariable, project_.reports_folder().string())};
  if (console_.has_colors()) {
    environment.insert(environment.end(), {"CLICOLOR_FORCE=1", "GCC_COLORS=always"});
  }
  tool_began_ = Clock::now();
  process_ = main_.processes().start(
      {.arguments = command,
       .directory = project_.folder(),
       .environment = environment,
       .captures_output = true,
       .output = [this](std::string_view text) { output_->add(text, Clock::now()); },
       .ended =
           [this, done = std::move(done)](int status) {
             process_ = 0;
             main_.events().cancel(progress_timer_);
             console_.erase_progress();
             if (main_.is_stopping()) return;
             if (must_begin_again_) {
               begin();
             } else {
               done(status);
             }
           }});
  if (console_.shows_progress()) {
    progress_timer_ =
        main_.events().after(diagnostics::kProgressDelay, [this] { show_progress(); });
  }
}

void ProjectBuild::show_progress() {
  std::string text = "fairway: building";
  if (const auto& progress = output_->progress()) {
    text += ": " + diagnostics::progress_text(progress->done, progress->total, "step",
                                              Clock::now() - tool_began_);
  }
  console_.show_progress(text);
  progress_timer_ = main_.events().after(kProgressInterval, [this] { show_progress(); });
}

void ProjectBuild::fail() {
  end(Failure{
      fmt::format("The build failed after {}", process::seconds_text(Clock::now() - work_began_)),
      output_->diagnostics()});
}

void ProjectBuild::end(const std::optional<Failure>& failure) {
  output_->end(Clock::now());
  has_failed_ = failure.has_value();
  lock_.release();
  done_(failure);
}

void ProjectBuild::read_inputs(
    std::function<void(const BuildInputs::Files&, fs::file_time_type)> found) {
  if (!project_.is_configured()) return;
  inputs_.read([this, begin = files_read_, has_failed = has_failed_,
                found = std::move(found)](const BuildInputs::Files& files) {
    if (main_.is_stopping()) return;
    // A build that fails may not have read all files, or not recorded that it did.
    if (!has_failed) known_inputs_.clear();
    known_inputs_.insert(files.begin(), files.end());
    found(known_inputs_, begin);
  });
}

}  // namespace fairway::dev
