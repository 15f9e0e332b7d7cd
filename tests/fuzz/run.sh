#!/usr/bin/env bash
# Fuzzes for a total number of seconds, divided among the targets, two at a time.
# usage: tests/fuzz/run.sh [SECONDS] [TARGET…]     120 seconds, all targets; 0 seconds only compile
#
# For each target: executions, coverage, findings. The exit status is 1 if there is any finding; the input that leads to it is kept.
# PTX_FUZZ_WORK: where builds, corpora and findings are (tests/fuzz/work). PTX_FUZZ_JOBS: how many at a time (2).
# PTX_FUZZ_SEED: what the random choices begin with; the same one repeats them, as far as time allows (another one each time by default).
# PTX_FUZZ_SEEDS: how many seeds each target begins with (all). To run all of them once takes up to a minute for each target.
# PTX_FUZZ_ASAN=1: with AddressSanitizer, the C code of the parser too.
set -euo pipefail
# Resolve it before the folder changes: it may be relative to the caller's folder.
[ -z "${PTX_FUZZ_WORK:-}" ] || PTX_FUZZ_WORK=$(realpath -m "$PTX_FUZZ_WORK")
cd "$(dirname "$0")"
seconds=${1:-120}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(grammar edits check format isa launch interpreter lsp dap chunks)
work=${PTX_FUZZ_WORK:-$PWD/work}
jobs=${PTX_FUZZ_JOBS:-2}
host=$(rustc -vV | sed -n 's/^host: //p')
# A server that has closed its pipe must not end the fuzzer: as in any Rust program, writing to the pipe returns an
# error.
trap '' PIPE
mkdir -p "$work/corpus" "$work/findings" "$work/logs"

# The flags that cargo-fuzz passes to the compiler, for a stable toolchain. Only code for the target is instrumented,
# not build scripts.
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
build() { # FOLDER FLAGS CFLAGS [OPTION…]
  local folder=$1 rust=$2 c=$3
  shift 3
  CARGO_TARGET_DIR=$work/$folder RUSTFLAGS=$rust CFLAGS=$c cargo build --quiet --locked --target "$host" "$@"
}
if [ -n "${PTX_FUZZ_ASAN:-}" ]; then
  program=$work/asan/$host/debug/ptx-fuzz
  alone=()
  [ "${targets[*]}" != grammar ] || alone=(--no-default-features)
  RUSTC_BOOTSTRAP=1 build asan "$flags -Zsanitizer=address" "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fsanitize-coverage=trace-cmp -fno-omit-frame-pointer" "${alone[@]}"
else
  program=$work/build/$host/debug/ptx-fuzz
  # Without the interpreter and the servers, half as much is compiled.
  features=(--no-default-features --features text)
  for target in "${targets[@]}"; do
    case $target in launch | interpreter | lsp | dap) features=() ;; esac
  done
  build build "$flags" "-fsanitize-coverage=trace-cmp" "${features[@]}"
fi
[ "$seconds" != 0 ] || exit 0
python3 seeds.py "$work/seeds"

share=$((seconds * jobs / ${#targets[@]}))
[ "$share" -gt 0 ] || share=1

# The folder of a target's seeds: all of them, or a sample. They are named by their content, so the first ones are of all kinds.
seeds() {
  local all=$work/seeds/$1 sample=$work/sample/$1
  if [ -z "${PTX_FUZZ_SEEDS:-}" ]; then
    echo "$all"
    return
  fi
  rm -rf "$sample"
  mkdir -p "$sample"
  (cd "$all" && find . -type f | LC_ALL=C sort | sed -n "1,${PTX_FUZZ_SEEDS}p" | xargs cp -t "$sample")
  echo "$sample"
}

# Fuzzes one target for its share of the time.
fuzz() {
  local target=$1
  local corpus=$work/corpus/$target dictionary=$work/seeds/$target.dict from
  from=$(seeds "$target")
  mkdir -p "$corpus" "$work/findings/$target"
  local options=(-max_total_time="$share" -timeout=25 -rss_limit_mb=4096 -max_len=12000 -len_control=20 -print_final_stats=1 -detect_leaks=0 -seed="${PTX_FUZZ_SEED:-0}")
  [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
  PTX_FUZZ=$target "$program" "${options[@]}" -artifact_prefix="$work/findings/$target/" "$corpus" "$from" >"$work/logs/$target.log" 2>&1
}

# Prints the result of a target in one line, followed by its finding, if there is one.
tell() {
  local target=$1 status=$2 log=$work/logs/$1.log
  local runs coverage
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -aoE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)
  printf '%-12s %9s executions  %-24s %s\n' "$target" "${runs:-?}" "${coverage:-no coverage}" "$([ "$status" = 0 ] && echo 'no finding' || echo 'FINDING')"
  if [ "$status" != 0 ]; then
    grep -aE -m1 -A12 'panicked at|ERROR: (libFuzzer|AddressSanitizer)|runtime error' "$log" | cut -c1-400 || tail -20 "$log"
    grep -a 'Test unit written to' "$log" || true
    echo "again: PTX_FUZZ=$target $program FILE"
  fi
}

found=0
declare -A running=()
# Waits until a running target has finished.
next() {
  local ended status=0
  wait -n -p ended "${!running[@]}" || status=$?
  tell "${running[$ended]}" "$status"
  unset "running[$ended]"
  [ "$status" = 0 ] || found=1
}
for target in "${targets[@]}"; do
  [ "${#running[@]}" -lt "$jobs" ] || next
  fuzz "$target" &
  running[$!]=$target
done
while [ "${#running[@]}" -gt 0 ]; do next; done
exit "$found"
