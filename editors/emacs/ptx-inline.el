;;; ptx-inline.el --- PTX in the strings of other languages  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages, tools
;; URL: https://github.com/ptx-analyzer/ptx-analyzer
;; SPDX-License-Identifier: Apache-2.0 OR MIT

;;; Commentary:

;; A minor mode that checks PTX in `asm' statements and in Python calls that
;; take PTX.  Eglot runs one server for each buffer, and that is clangd or
;; pyright; so this mode runs `ptx-analyzer check --inline' as a Flymake
;; backend beside it.  Everything else of the buffer stays as it is.
;;
;;     (require 'ptx-inline)
;;     (add-to-list 'auto-mode-alist '("\\.cuh?\\'" . c++-mode))
;;     (dolist (hook '(c-mode-hook c++-mode-hook python-mode-hook
;;                     c-ts-mode-hook c++-ts-mode-hook python-ts-mode-hook))
;;       (add-hook hook #'ptx-inline-mode))

;;; Code:

(require 'flymake)
(require 'ptx-mode)

(defcustom ptx-inline-targets nil
  "Architectures for which PTX in strings is checked.
A list such as (\"sm_80\" \"sm_90a\").  If it is empty, those of
`compile_commands.json' are used, or all."
  :type '(repeat string)
  :safe #'list-of-strings-p
  :group 'ptx)

(defvar-local ptx-inline--process nil
  "The running check of this buffer.")

(defvar-local ptx-inline--report nil
  "The function that takes the findings of the last check.")

(defun ptx-inline--source ()
  "Return the file to check, and whether it is a temporary one, as a cons.
A buffer that is not saved is checked as a copy."
  (if (and buffer-file-name (not (buffer-modified-p)) (not (file-remote-p buffer-file-name)))
      (cons buffer-file-name nil)
    (let* ((suffix (concat "." (or (and buffer-file-name (file-name-extension buffer-file-name))
                                   (cond ((derived-mode-p 'python-base-mode) "py")
                                         ((derived-mode-p 'rust-mode 'rust-ts-mode) "rs")
                                         ((derived-mode-p 'llvm-mode) "ll")
                                         ((derived-mode-p 'julia-mode 'julia-ts-mode) "jl")
                                         (t "cu")))))
           (copy (make-temp-file "ptx-inline" nil suffix)))
      (let ((coding-system-for-write 'utf-8-unix))
        (write-region nil nil copy nil 'silent))
      (cons copy t))))

(defun ptx-inline--position (line column)
  "Return the position of LINE and COLUMN, both counted from 1.
The program counts columns in bytes of UTF-8, as Emacs does inside."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- line))
    (min (or (byte-to-position (+ (position-bytes (point)) (1- column))) (point-max))
         (line-end-position))))

(defun ptx-inline--diagnostics (output source)
  "Return Flymake's diagnostics of the buffer SOURCE for OUTPUT of the check."
  (with-current-buffer source
    (save-restriction
      (widen)
      (mapcar
       (lambda (line)
         (let* ((found (json-parse-string line :object-type 'plist))
                (begin (ptx-inline--position (plist-get found :line) (plist-get found :column)))
                (end (ptx-inline--position (plist-get found :end_line) (plist-get found :end_column))))
           (flymake-make-diagnostic
            source begin (max end (min (1+ begin) (point-max)))
            (pcase (plist-get found :severity)
              ("error" :error)
              ("warning" :warning)
              (_ :note))
            (format "%s [%s]" (plist-get found :message) (plist-get found :code)))))
       (split-string output "\n" t)))))

(defun ptx-inline--stop ()
  "End the running check, which then reports nothing."
  (let ((old ptx-inline--process))
    (setq ptx-inline--process nil)
    (when (process-live-p old) (delete-process old))))

(defun ptx-inline-flymake (report &rest _)
  "Check PTX in the strings of this buffer and call REPORT with the findings."
  (ptx-inline--stop)
  (setq ptx-inline--report report)
  (let* ((source (current-buffer))
         (file (ptx-inline--source))
         (targets (and ptx-inline-targets (list "--inline-target" (string-join ptx-inline-targets ","))))
         (output (generate-new-buffer " *ptx-inline*" t)))
    (setq ptx-inline--process
          (make-process
           :name "ptx-inline" :noquery t :connection-type 'pipe :buffer output
           :stderr (get-buffer-create " *ptx-inline messages*" t)
           :coding 'utf-8-unix
           :command (append ptx-analyzer-command '("check" "--inline" "--format" "json") targets (list (car file)))
           :sentinel
           (lambda (process _)
             (unless (process-live-p process)
               (unwind-protect
                   (when (and (buffer-live-p source)
                              (eq process (buffer-local-value 'ptx-inline--process source)))
                     (if (memq (process-exit-status process) '(0 1))
                         (funcall report (ptx-inline--diagnostics
                                          (with-current-buffer output (buffer-string)) source))
                       (funcall report :panic :explanation "ptx-analyzer check --inline failed")))
                 (kill-buffer output)
                 (when (cdr file) (delete-file (car file))))))))))

(defun ptx-inline--add ()
  "Add the backend to this buffer.
Eglot replaces the list of backends when it begins, and starts Flymake."
  (add-hook 'flymake-diagnostic-functions #'ptx-inline-flymake nil t)
  (when (bound-and-true-p flymake-mode)
    (flymake-start)))

;;;###autoload
(define-minor-mode ptx-inline-mode
  "Check PTX in the strings of this C, C++, CUDA or Python buffer.
Flymake shows the findings; Eglot starts it, or you do."
  :lighter " PTX"
  (cond
   (ptx-inline-mode
    (add-hook 'eglot-managed-mode-hook #'ptx-inline--add nil t)
    (ptx-inline--add))
   (t
    (remove-hook 'eglot-managed-mode-hook #'ptx-inline--add t)
    (ptx-inline--stop)
    ;; Flymake keeps the findings of a backend that is only removed.
    (when (and ptx-inline--report (bound-and-true-p flymake-mode))
      (save-restriction
        (widen)
        (funcall ptx-inline--report nil :region (cons (point-min) (point-max)))))
    (setq ptx-inline--report nil)
    (remove-hook 'flymake-diagnostic-functions #'ptx-inline-flymake t))))

(provide 'ptx-inline)
;;; ptx-inline.el ends here
