# Sourced: installs Wine and a compiler for Windows (on Debian, as root), and makes a Windows in $scratch/wine, which goes away at the end.
# shellcheck shell=bash

missing=()
command -v wine >/dev/null || missing+=(wine wine64)
# The grammar and the allocator are in C, a library for names of symbols in C++.
command -v x86_64-w64-mingw32-g++ >/dev/null || missing+=(g++-mingw-w64-x86-64)
if [ ${#missing[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
scratch=$(mktemp -d)
cleanup() {
  wineserver -k 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
# A Windows of its own, without sound, fonts and browsers.
export WINEPREFIX=$scratch/wine WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
wine wineboot --init >"$scratch/wineboot.log" 2>&1 || { cat "$scratch/wineboot.log"; exit 1; }
# Rust and Node.js need Windows 10.
wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null
system=$WINEPREFIX/drive_c/windows/system32
[ -e "$system/bcryptprimitives.dll" ] || x86_64-w64-mingw32-gcc -shared -O1 -o "$system/bcryptprimitives.dll" tests/windows/bcryptprimitives.c -ladvapi32

