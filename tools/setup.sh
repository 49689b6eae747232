# Sourced by the scripts beside it: installs what is missing, and builds. Not a command.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C

build_packages=(g++ cmake ninja-build libboost-dev libboost-graph-dev libboost-program-options-dev libspdlog-dev libyaml-cpp-dev zlib1g-dev)
test_packages=("${build_packages[@]}" doctest-dev nlohmann-json3-dev valgrind python3-jsonschema python3-yaml)
benchmark_packages=("${build_packages[@]}" doctest-dev libbenchmark-dev)

# install_missing PACKAGE...: says what it will install, then installs it with apt, through sudo where it is not root.
install_missing() {
  local missing=() package as_root=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null; then
    echo "decodesim needs these Debian packages or their like, and there is no apt-get here: ${missing[*]}" >&2
    exit 1
  fi
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "installing with apt-get: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
}

# build FOLDER TARGET CMAKE_OPTION...: configures and builds, and shows the log only where it fails.
build() {
  local folder=$1 target=$2 log
  shift 2
  log=$(mktemp)
  if ! { cmake -S . -B "$folder" -G Ninja "$@" && cmake --build "$folder" --target "$target"; } >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}
