#include "tools/decodesim/messages.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace decodesim {

void messages_to_stderr() {
  auto logger = spdlog::stderr_logger_st("decodesim");
  logger->set_pattern("%l: %v");
  logger->set_level(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void warn(std::string_view message) { spdlog::warn("{}", message); }
void complain(std::string_view message) { spdlog::error("{}", message); }
void confess(std::string_view message) { spdlog::critical("{}", message); }

}  // namespace decodesim
