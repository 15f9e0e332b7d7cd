;;; emacs_inline_test.el --- run by inline.test.sh in batch mode  -*- lexical-binding: t; -*-

;; PTX in strings: Flymake shows our findings beside those of clangd and basedpyright, which Eglot runs.

(require 'ptx-inline)
(require 'eglot)

(setq native-comp-jit-compilation nil
      native-comp-enable-subr-trampolines nil
      eglot-sync-connect 15
      eglot-autoshutdown t
      eglot-events-buffer-config '(:size 0)
      flymake-no-changes-timeout 0.1
      make-backup-files nil)

(defun ok (what condition &optional seen)
  "Report WHAT, which is fine if CONDITION; SEEN is told if not."
  (princ (format "%-4s emacs, inline: %s\n" (if condition "ok" "FAIL") what))
  (unless condition
    (when seen (princ (format "  seen: %S\n" seen)))
    (kill-emacs 1)))

(defun becomes (what condition seen)
  "Wait until CONDITION, a function, holds; report WHAT, with what SEEN returns."
  (let ((end (+ (float-time) 20)) reached)
    (while (not (or (setq reached (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.05))
    (ok what reached (funcall seen))))

(defun line (text)
  "The number of the line with TEXT."
  (save-excursion
    (goto-char (point-min))
    (search-forward text)
    (line-number-at-pos (match-beginning 0))))

(defun findings ()
  "The line and text of each diagnostic."
  (mapcar (lambda (d) (cons (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d)))
          (flymake-diagnostics)))

(defun reported (what text words)
  "Wait for a finding with WORDS in the line of TEXT."
  (becomes what
           (lambda ()
             (seq-some (lambda (f) (and (= (car f) (line text)) (string-search words (cdr f)))) (findings)))
           #'findings))

(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . c++-mode))
(dolist (hook '(c++-mode-hook python-mode-hook))
  (add-hook hook #'ptx-inline-mode))
(add-to-list 'eglot-server-programs '(c++-mode . ("clangd" "--log=error")))
(add-to-list 'eglot-server-programs '(python-mode . ("basedpyright-langserver" "--stdio")))

(defun opened (name)
  "Open the file NAME of the project with Eglot."
  (find-file (expand-file-name name (getenv "PROJECT")))
  (call-interactively #'eglot)
  (flymake-start))

(opened "wrong.cu")
(reported "the PTX error in C++ is shown" (getenv "INLINE_PTX_PLANT") (getenv "INLINE_PTX_CODE"))
(reported "the C++ error is shown" (getenv "INLINE_CPP_PLANT") "ndeclared identifier")
;; An edit that is not saved is checked too.
(goto-char (point-min))
(search-forward "inside, %1")
(replace-match "inside, %2")
(flymake-start)
(becomes "the PTX error goes when the text is correct"
         (lambda () (not (seq-some (lambda (f) (string-search (getenv "INLINE_PTX_CODE") (cdr f))) (findings))))
         #'findings)
(reported "the C++ error stays" (getenv "INLINE_CPP_PLANT") "ndeclared identifier")
(set-buffer-modified-p nil)
(kill-buffer)

(opened "clean.cu")
(goto-char (point-min))
(search-forward "float value")
(backward-word)
(eglot-rename "scaled")
(ok "clangd renames" (save-excursion (goto-char (point-min)) (search-forward "float scaled = factor" nil t)))
(insert "   ")
(eglot-format-buffer)
(ok "clangd formats" (save-excursion (goto-char (point-min)) (search-forward "\n  float scaled = factor" nil t)) (buffer-string))
(set-buffer-modified-p nil)
(kill-buffer)

(opened "wrong.py")
(reported "the PTX error in Python is shown" (getenv "INLINE_PYTHON_PTX_PLANT") (getenv "INLINE_PYTHON_PTX_CODE"))
(reported "the Python error is shown" (getenv "INLINE_PYTHON_PLANT") (getenv "INLINE_PYTHON_MESSAGE"))
(ptx-inline-mode -1)
(becomes "without the mode only the Python error is left"
         (lambda () (and (findings) (not (seq-some (lambda (f) (string-search (getenv "INLINE_PYTHON_PTX_CODE") (cdr f))) (findings)))))
         #'findings)
(set-buffer-modified-p nil)
(kill-emacs 0)
;;; emacs_inline_test.el ends here
