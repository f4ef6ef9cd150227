// Stubs for builds without FAIRWAY_EPOLL, in which the configuration rejects clusters.
#include <stdexcept>
#include <utility>

#include "cluster/supervisor.hpp"

namespace fw::cluster {

Program Program::current() {
  throw std::logic_error("this build has no support for clusters, which need FAIRWAY_EPOLL");
}

SupervisorSignals::SupervisorSignals() = default;
SupervisorSignals::~SupervisorSignals() = default;
void SupervisorSignals::request_stop() {}

// Throws, because `Program::current` does.
Supervisor::Supervisor(const Config& config, http::AdapterOptions, const Logger& logger)
    : config_(config), logger_(logger), reload_(logger) {}

int Supervisor::run() { return 1; }

SentQuestion WorkerLink::send(WorkerQuestion, Clock::time_point, std::uint8_t) { return {}; }
std::string WorkerLink::last() const { return {}; }
std::vector<WorkerResponse> await_responses(std::span<const SentQuestion> questions,
                                            WorkerLink::Clock::time_point, Await) {
  return std::vector<WorkerResponse>(questions.size());
}

// Only workers have one.
WorkerResponder::WorkerResponder(int socket, int file, Respond respond)
    : socket_(socket), file_(file), respond_(std::move(respond)) {}
void WorkerResponder::finish() {}

std::optional<WorkerRole> WorkerRole::take() { return std::nullopt; }
void WorkerRole::report_ready() const {}
void WorkerRole::report_errors(const std::vector<std::string>&) const {}

}  // namespace fw::cluster
