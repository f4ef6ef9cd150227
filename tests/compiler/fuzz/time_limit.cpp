#include "time_limit.hpp"

#include <csignal>
#include <sys/time.h>
#include <unistd.h>

namespace fairway::fuzz {

void limit_time(unsigned seconds) {
  constexpr unsigned kPatience = 10;
  itimerval computed{};
  computed.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &computed, nullptr);
  ::alarm(kPatience * seconds);
}

bool says_out_of_time(int signal) { return signal == SIGPROF || signal == SIGALRM; }

}  // namespace fairway::fuzz
