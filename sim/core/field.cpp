#include "sim/core/field.hpp"

namespace decodesim {

std::string_view source_name(Source source) {
  switch (source) {
    case Source::unlisted: return "";
    case Source::spec: return "spec";
    case Source::measured: return "measured";
    case Source::assumed: return "assumed";
  }
  return "";
}

}  // namespace decodesim
