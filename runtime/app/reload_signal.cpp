#include "app/reload_signal.hpp"

#include "http/tls/tls_server.hpp"

namespace fw::detail {
namespace {

extern "C" void on_reload_signal(int) { http::request_certificate_reload(); }

}  // namespace

ReloadSignal::ReloadSignal() {
  struct sigaction previous = {};
  if (sigaction(SIGHUP, nullptr, &previous) != 0 || previous.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_handler = on_reload_signal;
  action.sa_flags = SA_RESTART;
  is_installed_ = sigaction(SIGHUP, &action, nullptr) == 0;
}

ReloadSignal::~ReloadSignal() {
  if (is_installed_) signal(SIGHUP, SIG_DFL);
}

}  // namespace fw::detail
