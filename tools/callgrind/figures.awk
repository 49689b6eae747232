# Makes the rows of a case from two runs: the case's, and one that does nearly nothing and so shows what starting takes. Both
# are what counts.awk and functions.awk print. Set `name`, the case's. Usage: awk -v name=NAME -f figures.awk START RUN

BEGIN {
  FS = "\t"
  functions_kept = 25
}

FNR == 1 { ++file }
$1 == "count" { count[file, $2] = $3 }
$1 == "self" {
  total[file] += $3
  if (file == 1) start[$2] = $3
  else self[$2] = $3
}

END {
  for (what in start) self[what] += 0
  n = split("requests steps tokens preemptions", counted, " ")
  for (i = 1; i <= n; ++i) {
    more[counted[i]] = count[2, counted[i]] - count[1, counted[i]]
    printf "%s\tcount\t%s\t%.0f\n", name, counted[i], more[counted[i]]
  }
  for (i = 1; i <= 3; ++i) {
    if (more[counted[i]] <= 0) {
      print name ": the run has no more " counted[i] " than its start" >"/dev/stderr"
      exit 1
    }
    figure = substr(counted[i], 1, length(counted[i]) - 1)  # one of them
    printf "%s\tfigure\t%s\t%.2f\n", name, figure, (total[2] - total[1]) / more[counted[i]]
  }
  for (i = 0; i < functions_kept; ++i) {
    largest = ""
    for (what in self) {
      own = self[what] - start[what]
      if (largest == "" || own > most || (own == most && what < largest)) {
        largest = what
        most = own
      }
    }
    if (largest == "" || most <= 0) break
    printf "%s\tself\t%s\t%.2f\n", name, largest, most / more["requests"]
    delete self[largest]
  }
}
