# Sums a callgrind file to the instructions that each function executes itself, under short names that do not change with the
# place of the build, the optimiser's clones or the processor's instruction set. Functions with one short name are one.

# Text without what stands in brackets, however deep; < and > of operators were taken out before.
function outside_brackets(text, result, depth, i, c) {
  result = ""
  depth = 0
  for (i = 1; i <= length(text); ++i) {
    c = substr(text, i, 1)
    if (c == "<" || c == "(") ++depth
    else if (c == ">" || c == ")") --depth
    else if (depth == 0) result = result c
  }
  return result
}

function short(name, object) {
  if (name ~ /^0x[0-9a-f]+$/) {  # no symbol: an address says nothing in another build
    sub(/.*\//, "", object)
    return "(unnamed in " object ")"
  }
  sub(/'[0-9]+$/, "", name)  # how deep in a recursion
  gsub(/ \[clone [^]]*\]/, "", name)
  gsub(/\[abi:[^]]*\]/, "", name)
  gsub(/\.(isra|part|constprop|cold|lto_priv)(\.[0-9]+)*/, "", name)
  sub(/@.*/, "", name)
  # One library function in several instruction sets, of which the machine chooses.
  if (name ~ /^_*[a-z0-9_]+$/) sub(/_(sse2|sse4_1|sse42|ssse3|avx|avx2|fma|fma4|evex)(_.*)?$/, "", name)
  gsub(/\(anonymous namespace\)::/, "", name)
  # Stand-ins for the brackets that belong to the names of operators, and for the space in `operator new`.
  gsub(/operator\(\)/, "operator\001", name)
  gsub(/operator<=>/, "operator\002=\003", name)
  gsub(/operator<</, "operator\002\002", name)
  gsub(/operator</, "operator\002", name)
  gsub(/operator->/, "operator-\003", name)
  gsub(/operator>>/, "operator\003\003", name)
  gsub(/operator>/, "operator\003", name)
  gsub(/operator /, "operator\004", name)
  name = outside_brackets(name)
  sub(/( const)?( ?&+)?$/, "", name)
  sub(/ +$/, "", name)
  sub(/^.* /, "", name)  # the type that a template returns
  gsub(/\001/, "()", name)
  gsub(/\002/, "<", name)
  gsub(/\003/, ">", name)
  gsub(/\004/, " ", name)
  return name
}

# "(7) name" the first time and "(7)" from then on: the format's abbreviation.
function named(text, known, id) {
  id = text
  sub(/\).*/, "", id)
  if (index(text, ") ")) known[id] = substr(text, index(text, ") ") + 2)
  return known[id]
}

/^ob=/ { object = named(substr($0, 4), objects); next }
/^cob=/ { named(substr($0, 5), objects); next }
/^fn=/ { function_name = short(named(substr($0, 4), functions), object); next }
/^cfn=/ { named(substr($0, 5), functions); next }
/^calls=/ { in_call = 1; next }
/^summary:/ { summary = $2; next }
/^[-+*0-9]/ {
  if (!in_call) {
    self[function_name] += $2
    sum += $2
  }
  in_call = 0
}

END {
  if (summary == "" || sum != summary) {
    printf "%s: its functions execute %.0f instructions, and it says %s\n", FILENAME, sum, summary >"/dev/stderr"
    exit 1
  }
  for (name in self) printf "self\t%s\t%.0f\n", name, self[name]
}
