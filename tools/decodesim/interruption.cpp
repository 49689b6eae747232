#include "tools/decodesim/interruption.hpp"

#include <csignal>

namespace decodesim {

namespace {

std::atomic<bool> requested{false};
extern "C" void request_stop(int signal) {
  if (requested.exchange(true, std::memory_order_relaxed)) std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_requested() { return requested; }

void stop_if_requested() {
  if (requested.load(std::memory_order_relaxed)) throw Interrupted{};
}

void listen_to_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, request_stop);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace decodesim
