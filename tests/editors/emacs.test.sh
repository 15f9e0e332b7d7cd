# Emacs in batch mode: the major mode, and the server through Eglot.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

emacs_tests() {
  local lisp=$work/emacs code=0 log=$work/emacs.log
  emacs --version | head -n 1
  mkdir -p "$lisp"
  cp "$root/editors/emacs/ptx-mode.el" "$lisp/"
  if (cd "$lisp" && emacs -Q --batch --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile ptx-mode.el) >"$log" 2>&1; then
    ok 'emacs: the mode compiles without a warning'
  else
    fail 'emacs: the mode compiles without a warning'
    sed 's/^/  | /' "$log"
  fi
  (cd "$lisp" && emacs -Q --batch --eval '(checkdoc-file "ptx-mode.el")') >"$log" 2>&1
  if [ -s "$log" ]; then
    fail 'emacs: its documentation is as Emacs wants it'
    sed 's/^/  | /' "$log"
  else
    ok 'emacs: its documentation is as Emacs wants it'
  fi

  sed -e 's/out=u32\[128\]/out=u32[62]/' -e '/! expect/d' "$here/fixture/parting.ptx" >"$project/short.ptx"
  forget_servers
  # Emacs writes its own messages to standard error.
  (cd "$project" && timeout 120 emacs -Q --batch -L "$lisp" -l "$here/emacs_test.el") 2>"$log" || code=$?
  if [ "$code" -ne 0 ]; then
    failures=$((failures + 1))
    echo "  emacs ended with status $code and said:"
    sed 's/^/  | /' "$log"
  fi
  rm "$project/short.ptx"
  check 'emacs: the server was started' server_was_started
  check 'emacs: no server is left behind' until_true 10 servers_gone
}

if have emacs; then emacs_tests; fi
