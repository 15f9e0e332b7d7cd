#!/usr/bin/env bash
# Compiles the program and all tests for Windows, and runs them with Wine.
#
#   run.sh              all tests, then the program as a user starts it
#   run.sh NAME…        only the tests whose names contain one of these
#
# It installs what it needs: on Debian, as root.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
export CARGO_INCREMENTAL=0

missing=()
command -v wine >/dev/null || missing+=(wine wine64)
# The grammar and the allocator are in C, a library for names of symbols in C++.
command -v x86_64-w64-mingw32-g++ >/dev/null || missing+=(g++-mingw-w64-x86-64)
if [ ${#missing[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
# Does nothing if this toolchain has the target.
rustup target add "$target"

scratch=$(mktemp -d)
cleanup() {
  wineserver -k 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
# A Windows of its own, without sound, fonts and browsers.
export WINEPREFIX=$scratch/wine WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
wine wineboot --init >"$scratch/wineboot.log" 2>&1 || { cat "$scratch/wineboot.log"; exit 1; }
system=$WINEPREFIX/drive_c/windows/system32
[ -e "$system/bcryptprimitives.dll" ] || x86_64-w64-mingw32-gcc -shared -O1 -o "$system/bcryptprimitives.dll" tests/windows/bcryptprimitives.c -ladvapi32

# Tests that start programs of the machine on which they were compiled. Where Cargo is a program for Windows, they run.
skipped=(
  # These ask Cargo.
  layering::crates_know_only_what_lies_below_them
  layering::only_servers_know_their_protocol
  layering::the_lock_file_of_the_fuzz_targets_is_current
  # This one asks a script in Python.
  synchronization::expectations_are_those_of_the_model
)
options=()
for name in "${skipped[@]}"; do options+=(--skip "$name"); done

export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
cargo test --workspace --tests --locked --target "$target" --no-fail-fast -- "${options[@]}" "$@"
[ $# -eq 0 ] || exit 0

program=${CARGO_TARGET_DIR:-target}/$target/debug/ptx-analyzer.exe
wine "$program" check tests/kernels
wine "$program" eval --check tests/kernels
wine "$program" check --inline tests/inline >"$scratch/inline" || [ $? -eq 1 ]
grep -q 'files checked' "$scratch/inline"
# What is written has the line ends of its input, or those of Unix.
printf '.version 8.0\r\n.target sm_80\r\n.visible .entry k(){ ret; }\r\n' >"$scratch/crlf.ptx"
wine "$program" fmt "$scratch/crlf.ptx"
[ "$(grep -c $'\r$' "$scratch/crlf.ptx")" = "$(wc -l <"$scratch/crlf.ptx")" ] || { echo 'fmt has changed line ends'; exit 1; }
if wine "$program" explain fma.rn.f32 | grep -q $'\r'; then echo 'explain writes carriage returns'; exit 1; fi
