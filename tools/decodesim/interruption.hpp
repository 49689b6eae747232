#pragma once
// Ctrl-C, or a polite kill, ends what is simulated at its next event; what was measured so far is still reported.

#include <atomic>

namespace decodesim {

/// True once such a signal came.
const std::atomic<bool>& stop_requested();

/// What ends a command that has nothing to report yet; files that are not whole are gone with it.
struct Interrupted {};

/// Throws Interrupted once such a signal came.
void stop_if_requested();

/// From now on signals are listened to. The third one ends the program: the second may be the same request sent to the
/// program and to its group. A file size limit becomes an error of writing, with a message.
void listen_to_signals();

}  // namespace decodesim
