#!/usr/bin/env bash
# Builds the language server for browsers: server/web/dist has the module, whole and in two parts, and the scripts around it.
#
# usage: server/web/build.sh [PROFILE]     the default profile is web
#
# Needs the target wasm32-unknown-unknown (rustup target add wasm32-unknown-unknown), or the toolchain of Debian's packages
# rustc-web, cargo-web, rust-web-src and lld-19, first in PATH: there the library is compiled from its source. And clang, which
# compiles the parser (PTX_WEB_CC names another one), and Node.js 20, which splits the module.
set -euo pipefail
cd "$(dirname "$0")/../.."
profile=${1:-web} target=wasm32-unknown-unknown

first() {
  local name
  for name in "$@"; do
    if command -v "$name" >/dev/null; then echo "$name"; return; fi
  done
  echo "none of these is there: $*" >&2
  return 1
}
export CC_wasm32_unknown_unknown=${PTX_WEB_CC:-$(first clang clang-{22,21,20,19,18})}
export AR_wasm32_unknown_unknown=${PTX_WEB_AR:-$(first llvm-ar llvm-ar-{22,21,20,19,18} ar)}
# No function of the C library but those that the parser needs.
export CFLAGS_wasm32_unknown_unknown=${CFLAGS_wasm32_unknown_unknown:--Oz}
# Trees can nest deeply, and a check may recurse along them.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-Clink-arg=-zstack-size=4194304"

std=()
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
  # The target's library is compiled from its source.
  export RUSTC_BOOTSTRAP=1
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=${PTX_WEB_LINKER:-$(first rust-lld wasm-ld wasm-ld-{22,21,20,19,18})}
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
  std=(-Z "build-std=std,panic_abort")
fi
cargo rustc --quiet --locked --package ptx-web --lib --crate-type cdylib --profile "$profile" --target "$target" "${std[@]}" -- -Clink-arg=--emit-relocs
folder=$profile
[ "$profile" != dev ] || folder=debug
mkdir -p server/web/dist
cp server/web/js/*.js server/web/dist
node server/web/split/main.mjs "${CARGO_TARGET_DIR:-target}/$target/$folder/ptx_web.wasm" server/web/dist
