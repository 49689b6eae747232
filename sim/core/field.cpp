#include "sim/core/field.hpp"

namespace decodesim {

std::string_view default_source_name(DefaultSource source) {
  switch (source) {
    case DefaultSource::unlisted:
      return "";
    case DefaultSource::spec:
      return "spec";
    case DefaultSource::measured:
      return "measured";
    case DefaultSource::assumed:
      return "assumed";
  }
  return "";
}

}  // namespace decodesim
