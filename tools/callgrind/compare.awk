# Compares two files of instruction counts, and exits 1 where a figure rose by more than 5 %, or where a case or a figure
# stands in one of them only. Names the functions whose own instructions rose most. Usage: awk -f compare.awk OLD NEW

BEGIN {
  FS = "\t"
  tolerance = 0.05
  functions_named = 5
}

FNR == 1 { ++file }
/^# counted with / { tools[file] = substr($0, 16) }
/^#/ || NF < 4 { next }
!((file, $1) in known) {
  known[file, $1] = 1
  if (!((3 - file, $1) in known)) order[++cases] = $1
}
$2 == "skipped" { skipped[file, $1] = $4 }
$2 == "count" { count[file, $1, $3] = $4 }
$2 == "figure" { figure[file, $1, $3] = $4 }
$2 == "self" {
  self[file, $1, $3] = $4
  names[file, $1, ++listed[file, $1]] = $3
  least[file, $1] = $4  # they are sorted, so the last one counts
}

function shown(value) {
  return value < 100 ? sprintf("%.2f", value) : sprintf("%.0f", value)
}

# What a function took before. One that was not among the largest took less than the least of these.
function before(name, what) {
  if ((1, name, what) in self) return self[1, name, what]
  return least[1, name] + 0
}

function tell_functions(name, i, j, what, rise, most, chosen) {
  for (j = 1; j <= functions_named; ++j) {
    chosen = ""
    for (i = 1; i <= listed[2, name]; ++i) {
      what = names[2, name, i]
      rise = self[2, name, what] - before(name, what)
      if (!((name, what) in told) && rise > 0.005 && (chosen == "" || rise > most)) {
        chosen = what
        most = rise
      }
    }
    if (chosen == "") break
    told[name, chosen] = 1
    printf "    %s: %s%s -> %s instructions a request\n", chosen, (1, name, chosen) in self ? "" : "at most ", \
      shown(before(name, chosen)), shown(self[2, name, chosen])
  }
  if (j == 1) print "    none of the largest functions rose"
}

function tell_counts(name, i, n, counted, old, now) {
  n = split("requests steps tokens preemptions", counted, " ")
  for (i = 1; i <= n; ++i) {
    old = count[1, name, counted[i]]
    now = count[2, name, counted[i]]
    if (old != now) printf "    the run has %s %s, before %s\n", now, counted[i], old
  }
}

function compare(name, i, n, whats, what, old, now, rose, fell, line) {
  n = split("request step token", whats, " ")
  line = ""
  for (i = 1; i <= n; ++i) {
    what = whats[i]
    if (!((1, name, what) in figure) || !((2, name, what) in figure)) {
      printf "%s: instructions a %s are missing in the %s counts\n", name, what, (1, name, what) in figure ? "new" : "old"
      failed = 1
      continue
    }
    old = figure[1, name, what]
    now = figure[2, name, what]
    if (now > old * (1 + tolerance)) rose = 1
    if (now < old * (1 - tolerance)) fell = 1
    line = line sprintf("%s%s -> %s a %s (%+.1f %%)", line == "" ? "" : ", ", shown(old), shown(now), what, \
                        old > 0 ? (now / old - 1) * 100 : 0)
  }
  printf "%s: %s%s\n", name, line, rose ? "  ROSE" : fell ? "  fell; --update keeps what was won" : ""
  if (rose) {
    failed = 1
    tell_counts(name)
    tell_functions(name)
  }
}

END {
  if (file < 2) {
    print "one of the two files is empty" >"/dev/stderr"
    exit 1
  }
  for (c = 1; c <= cases; ++c) {
    name = order[c]
    if ((2, name) in skipped) {
      printf "%s: not counted\n", name
    } else if (!((2, name) in known)) {
      printf "%s: missing in the new counts\n", name
      failed = 1
    } else if (!((1, name) in known)) {
      printf "%s: new, with nothing to compare it with; --update adds it\n", name
      failed = 1
    } else {
      compare(name)
    }
  }
  if (failed && tools[1] != tools[2])
    printf "other tools alone may make a difference: %s before, %s now\n", tools[1], tools[2]
  exit failed
}
