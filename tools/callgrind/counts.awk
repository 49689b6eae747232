# Takes from the JSON of `decodesim run --json` how much a run did: what its instructions are divided by.

function number(line) {
  sub(/^[^:]*: */, "", line)
  sub(/,$/, "", line)
  return line + 0
}

/^  "requests_in":/ { requests = number($0) }
/^  "completed":/ { completed = number($0) }
/^  "evictions":/ { in_evictions = 1 }
in_evictions && /^    "preemptions":/ { preemptions = number($0); in_evictions = 0 }
/^  "run_totals":/ { in_totals = 1 }
in_totals && /^    "passes":/ { steps = number($0) }
in_totals && /^    "emitted_tokens":/ { tokens = number($0) }
/^  }/ { in_totals = 0 }

END {
  if (requests == "" || preemptions == "" || !steps || !tokens) {
    print "the report of " FILENAME " lacks its requests, steps, tokens or preemptions" >"/dev/stderr"
    exit 1
  }
  # Requests that were refused would make the others look cheap.
  if (completed != requests) {
    print FILENAME ": " completed " of " requests " requests were completed" >"/dev/stderr"
    exit 1
  }
  printf "count\trequests\t%.0f\ncount\tsteps\t%.0f\ncount\ttokens\t%.0f\ncount\tpreemptions\t%.0f\n", \
    requests, steps, tokens, preemptions
}
