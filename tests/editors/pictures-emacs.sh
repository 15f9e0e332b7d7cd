# What Emacs shows. Sourced by pictures.test.sh.
# shellcheck shell=bash disable=SC2154

# emacs_at TEXT [COLUMNS]: starts Emacs in a terminal with the kernel, point at this text, managed by Eglot.
emacs_at() {
  local line column
  read -r line column < <(place "$@")
  cat >"$work/emacs-init.el" <<ELISP
(setq inhibit-startup-screen t native-comp-jit-compilation nil eldoc-echo-area-use-multiline-p nil auto-save-default nil
      flymake-show-diagnostics-at-end-of-line t)
(keymap-global-set "C-c q" (lambda () (interactive) (set-buffer-modified-p nil) (kill-emacs)))
(add-to-list 'load-path "$root/editors/emacs")
(require 'ptx-mode)
(load-theme 'modus-vivendi t)
(menu-bar-mode -1)
(column-number-mode 1)
(global-display-line-numbers-mode 1)
(add-hook 'ptx-mode-hook #'eglot-ensure)
ELISP
  screen_start em "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor emacs -nw -Q -l '$work/emacs-init.el' '+$line:$column' $kernel"
  sees "emacs: the kernel opens at '$1'" em "$(literally "${1%%[,;]*}")" || true
  sees 'emacs: Eglot manages it' em '\[eglot:' || true
  sleep 1.5
}

emacs_end() {
  keys em C-c q
  screen_ends em || true
}

emacs_pictures() {
  open_kernel saxpy.ptx
  emacs_at 'fma.rn.f32          %axpy'
  keys em C-u 3 C-c C-e
  scene em emacs-evaluate 'the result of an evaluation, and the values of a lane' 'Finished after' '%axpy = 135.0'
  emacs_end

  sed -i 's/y=f32\[100\]:const(1)/y=f32[10]:const(1)/' "$project/$kernel"
  emacs_at 'ld.global.f32       %yi'
  keys em C-c C-e
  sees 'emacs: a fault is told' em 'past the end of' || true
  keys em C-x 1
  scene em emacs-fault 'a fault is a diagnostic' 'reads 4 bytes'
  emacs_end

  open_kernel mma_matmul.ptx
  emacs_at 'mad.lo.u32          %st_tile, %row, 48'
  # ElDoc sends its request shortly after point has stopped moving.
  keys em C-f C-b
  sleep 1.5
  keys em C-h .
  scene em emacs-hover 'hover: an instruction, its operands, its modifiers' 'mad\.lo\.u32 d, a, b, c'
  emacs_end
}
