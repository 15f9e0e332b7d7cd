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

# shellcheck source=tests/windows/wine.sh
. tests/windows/wine.sh
# Does nothing if this toolchain has the target.
rustup target add "$target"

# Tests that start programs of the machine on which they were compiled. Where Cargo is a program for Windows, they run.
skipped=(
  # These ask Cargo.
  layering::crates_know_only_what_lies_below_them
  layering::only_servers_know_their_protocol
  layering::the_lock_file_of_the_fuzz_targets_is_current
  # This one asks Git.
  repository::no_file_is_large_or_built
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
wine "$program" check --inline tests/inline >"$scratch/inline" 2>&1 || [ $? -eq 1 ]
grep -q 'files checked' "$scratch/inline"
# What is written has the line ends of its input, or those of Unix.
printf '.version 8.0\r\n.target sm_80\r\n.visible .entry k(){ ret; }\r\n' >"$scratch/crlf.ptx"
wine "$program" fmt "$scratch/crlf.ptx"
[ "$(grep -c $'\r$' "$scratch/crlf.ptx")" = "$(wc -l <"$scratch/crlf.ptx")" ] || { echo 'fmt has changed line ends'; exit 1; }
if wine "$program" explain fma.rn.f32 | grep -q $'\r'; then echo 'explain writes carriage returns'; exit 1; fi
