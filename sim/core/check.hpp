#pragma once
// Invariants that are always on.

#include <stdexcept>
#include <string>

namespace decodesim {

/// An invariant of the simulator itself is broken: a fault of ours, never of the user. The command line turns it into
/// exit code 70 with the command that reproduces it.
class BrokenInvariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws BrokenInvariant with `why` unless `condition` holds.
inline void check(bool condition, const char* why) {
  if (!condition) [[unlikely]]
    throw BrokenInvariant(why);
}

}  // namespace decodesim
