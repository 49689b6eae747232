// The entry of every test program: doctest, plus a count of the tests that had to be skipped.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/shared_data.hpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int failed = context.run();
  const int skipped = decodesim::tests::skipped_count();
  if (skipped > 0) std::printf("skipped: %d test(s), see above\n", skipped);
  // In CI everything that a test needs is there, so a skipped test is a failure.
  if (skipped > 0 && std::getenv("CI") != nullptr) return EXIT_FAILURE;
  return failed;
}
