#pragma once
// Tables of measurements as the tests read them: small, whole in memory, columns by name.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace decodesim::tests {

using CsvRow = std::map<std::string, std::string>;

/// All rows of a file whose first line names the columns; fields may be quoted, not broken over lines.
std::vector<CsvRow> csv_rows(const std::filesystem::path& file);

/// The number that a cell begins with; 0 where it has none.
double number_of(const CsvRow& row, const std::string& column);

}  // namespace decodesim::tests
