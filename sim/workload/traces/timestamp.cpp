// Dates and times of day, as the public Azure traces write them.

#include <cstddef>

#include "sim/workload/traces/fields.hpp"

namespace decodesim {

namespace {

/// Reads a timestamp from left to right; once something is not as it should be, `good` stays false.
struct Cursor {
  std::string_view rest;
  bool good = true;

  bool take(char wanted) {
    if (rest.empty() || rest[0] != wanted) return false;
    rest.remove_prefix(1);
    return true;
  }
  void need(char wanted) { good = take(wanted) && good; }
  /// A number of exactly `digits` digits.
  std::int64_t number(std::size_t digits) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest.empty() || rest[0] < '0' || rest[0] > '9') {
        good = false;
        return 0;
      }
      value = value * 10 + (rest[0] - '0');
      rest.remove_prefix(1);
    }
    return value;
  }
};

bool leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

std::int64_t days_in(std::int64_t year, std::int64_t month) {
  if (month == 2) return leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// Days from 1970-01-01 to the first of a month, in the Gregorian calendar.
std::int64_t days_before(std::int64_t year, std::int64_t month) {
  const std::int64_t y = year - 1;  // whole years before this one; leap days of those since year 1
  std::int64_t days = y * 365 + y / 4 - y / 100 + y / 400 - 719'162;
  for (std::int64_t m = 1; m < month; ++m) days += days_in(year, m);
  return days;
}

/// Up to nine decimals, to nanoseconds; more are an error.
std::int64_t fraction(Cursor& cursor) {
  std::int64_t value = 0;
  int digits = 0;
  while (!cursor.rest.empty() && cursor.rest[0] >= '0' && cursor.rest[0] <= '9') {
    if (++digits > 9) break;
    value = value * 10 + cursor.number(1);
  }
  if (digits == 0 || digits > 9) cursor.good = false;
  for (; digits < 9; ++digits) value *= 10;
  return value;
}

/// Seconds east of UTC: Z, +02:00, +0200, +02 or nothing.
std::int64_t offset_seconds(Cursor& cursor) {
  if (cursor.rest.empty() || cursor.take('Z')) return 0;
  const bool west = cursor.take('-');
  if (!west) cursor.need('+');
  const std::int64_t hours = cursor.number(2);
  std::int64_t minutes = 0;
  if (cursor.take(':') || !cursor.rest.empty()) minutes = cursor.number(2);
  if (hours > 15 || minutes > 59) cursor.good = false;
  const std::int64_t seconds = hours * 3600 + minutes * 60;
  return west ? -seconds : seconds;
}

}  // namespace

std::string_view read_timestamp(std::string_view field, std::int64_t& value) {
  Cursor cursor{field};
  const std::int64_t year = cursor.number(4);
  cursor.need('-');
  const std::int64_t month = cursor.number(2);
  cursor.need('-');
  const std::int64_t day = cursor.number(2);
  if (!cursor.take('T')) cursor.need(' ');
  const std::int64_t hour = cursor.number(2);
  cursor.need(':');
  const std::int64_t minute = cursor.number(2);
  cursor.need(':');
  const std::int64_t second = cursor.number(2);
  const std::int64_t nanoseconds = cursor.take('.') ? fraction(cursor) : 0;
  const std::int64_t offset = offset_seconds(cursor);
  if (!cursor.good || !cursor.rest.empty()) {
    return "expected a date and a time such as 2023-11-16 18:15:46.6805900, with at most nine decimals";
  }
  if (year < 1970 || year > 2261) return "expected a year from 1970 to 2261";
  if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return "there is no such day in the calendar";
  if (hour > 23 || minute > 59 || second > 59) return "expected a time of day from 00:00:00 to 23:59:59";
  const std::int64_t days = days_before(year, month) + day - 1;
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset;
  value = seconds * 1'000'000'000 + nanoseconds;
  return {};
}

}  // namespace decodesim
