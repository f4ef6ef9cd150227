// A limit for a process, by the time that it computes: a busy machine makes nothing hang.
#pragma once

namespace fairway::fuzz {

/// Ends this process by a signal when it has computed for that long, or when it has not come to
/// that in ten times as long.
void limit_time(unsigned seconds);

/// Whether it is that signal.
bool says_out_of_time(int signal);

}  // namespace fairway::fuzz
