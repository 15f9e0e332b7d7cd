#!/usr/bin/env bash
# Builds the wheel of the Python package: the module, and the program beside it.
#
#   build.sh OUT [TARGET]      OUT: a folder for the wheel; TARGET: such as aarch64-unknown-linux-gnu, by default that of this machine
#
# It needs maturin (requirements.txt beside this file). With a TARGET for Linux it also needs Zig (server/cli/dist/requirements.txt), and the wheel
# runs with glibc 2.17 or newer; without one, the wheel is for this machine alone.
#
#   PTX_PROFILE     the profile of Cargo that compiles the module, and the program unless it is given [dist]
#   PTX_ANALYZER    the program, for TARGET, if it exists already
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '2,10s/^# \{0,1\}//p' "$0"
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd) target=${2:-} profile=${PTX_PROFILE:-dist}
cd "$(dirname "$0")"
program=${PTX_ANALYZER:-}
host=$(rustc -vV | sed -n 's/^host: //p')
if [ "$profile" = dist ]; then
  # No paths of this machine in what is handed out.
  CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s=.\x1f--remap-path-prefix=%s=cargo' "$(cd ../.. && pwd)" "${CARGO_HOME:-$HOME/.cargo}")
  export CARGO_ENCODED_RUSTFLAGS
fi
options=(--locked --profile "$profile")
# What the tests of the workspace have compiled is not compiled again.
features=()
[ "$profile" != dev ] || features=(--features shared)
compatibility=linux
if [ -n "$target" ]; then
  options+=(--target "$target")
  case $target in *-linux-gnu) compatibility=manylinux_2_17 ;; esac
fi

if [ -z "$program" ]; then
  case $target in
    *-linux-gnu) cargo zigbuild "${options[@]:0:3}" --package ptx-analyzer --target "$target.2.17" ;;
    *) cargo build "${options[@]}" --package ptx-analyzer ;;
  esac
  folder=$profile
  [ "$profile" != dev ] || folder=debug
  program=${CARGO_TARGET_DIR:-../../target}/$target/$folder/ptx-analyzer
fi
case ${target:-$host} in *windows*) ending=.exe ;; *) ending= ;; esac
[ -f "$program" ] || program=$program$ending
rm -rf ptx_analyzer.data
mkdir -p ptx_analyzer.data/scripts
cp "$program" "ptx_analyzer.data/scripts/ptx-analyzer$ending"
# Copies, since Git makes no links on Windows.
cp ../../LICENSE-MIT ../../LICENSE-APACHE .
"$(command -v python3 || command -v python)" -B ../cli/dist/third_parties.py --package ptx-analyzer --package ptx-python "${target:-$host}" >THIRD-PARTY.txt

case $target in *-linux-gnu) options+=(--zig) ;; esac
maturin build "${options[@]}" ${features[@]+"${features[@]}"} --compatibility "$compatibility" --out "$out"
