# Exits 1 where a file of instruction counts breaks a limit that holds whatever the counts were before, and says which.
# Usage: awk -f limits.awk FILE

BEGIN { FS = "\t" }

$2 == "figure" && $3 == "token" { token[$1] = $4 }
$2 == "count" { count[$1, $3] = $4 }

function demand(holds, text) {
  if (holds) return
  print "limit: " text
  failed = 1
}

function instructions(name) {
  if (!(name in token)) {
    print "limit: no instructions a token of " name
    failed = 1
  }
  return token[name] + 0
}

END {
  # A sequence comes and goes once, so the longer its output, the less of that falls on a token.
  short = instructions("batch-256-outputs-64")
  middle = instructions("batch-256-outputs-512")
  long = instructions("batch-256-outputs-4096")
  demand(short > middle && middle > long, \
    sprintf("batch 256 takes %.2f, %.2f and %.2f instructions a token at outputs of 64, 512 and 4,096, which must fall", \
      short, middle, long))
  demand(long <= 20, sprintf("batch 256 takes %.2f instructions a token at outputs of 4,096, and may take 20", long))
  # A step costs what changes and not what runs, so a larger batch cannot make a token dearer.
  split("1024 4096", larger, " ")
  for (i = 1; i <= 2; ++i) {
    now = instructions("batch-" larger[i] "-outputs-4096")
    demand(now <= 1.1 * long, \
      sprintf("batch %s takes %.2f instructions a token, and may take a tenth more than the %.2f of batch 256", \
        larger[i], now, long))
  }
  # Without them the case would not count what it is there for.
  preempted = count["overload-130", "preemptions"] + 0
  requests = count["overload-130", "requests"] + 0
  demand(requests > 0 && preempted >= requests / 20, \
    sprintf("overload-130 preempts %d times in %d requests, and must do so once in 20", preempted, requests))
  exit failed
}
