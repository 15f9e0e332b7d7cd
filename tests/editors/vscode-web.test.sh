# The extension in VS Code for the Web, where the server is the module of server/web/dist.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables
# With PICTURES the screen is kept there, as vscode-web.png. VSCODE_WEB names another web build of VS Code.

vscode_web_tests() {
  local extension=$root/editors/vscode suite=$here/vscode-web package=$work/ptx-analyzer-web.vsix
  if [ ! -e "$root/server/web/dist/ptx-analyzer.wasm" ]; then
    fail 'vscode-web: there is a server for browsers (run server/web/build.sh)'
    return 0
  fi
  vscode_quietly 'vscode-web: what package-lock.json names is installed' vscode_modules "$extension" || return 0
  vscode_quietly 'vscode-web: and for the tests' vscode_modules "$here/vscode" || return 0
  vscode_quietly 'vscode-web: and VS Code for the Web' vscode_modules "$suite" || return 0
  vscode_quietly 'vscode-web: a package for the web' npm --prefix "$extension" run package -- --target web --out "$package" || return 0
  check 'vscode-web: the package has the module and its notices, and no program' python3 -c '
import sys, zipfile
package = zipfile.ZipFile(sys.argv[1])
names = package.namelist()
notices = package.read("extension/THIRD-PARTY.txt").decode()
assert "vscode-languageclient 11" in notices and "\ntree-sitter 0." in notices, "a notice is missing"
assert [name for name in names if "/server/" in name] == ["extension/server/ptx-analyzer.wasm"], names
assert {"extension/dist/browser.js", "extension/dist/worker.js"} <= set(names), names
' "$package"
  ls -l "$package" | awk '{ printf "     %.1f MB\n", $5 / 1024 / 1024 }'
  vscode_report node "$suite/web.mjs" "$package" "$work/vscode-web-kernels" "$work/vscode-web-data"
}

if have chromium node npm python3; then vscode_web_tests; fi
