;;; emacs_test.el --- run by emacs.test.sh in batch mode  -*- lexical-binding: t; -*-

;; The expected values come from expectations.sh through the environment.

(require 'ptx-mode)
(require 'eglot)
(require 'flymake)

(setq native-comp-jit-compilation nil
      native-comp-enable-subr-trampolines nil ; there may be no compiler, and these tests do not need the speed
      eglot-sync-connect 15
      eglot-autoshutdown t
      eglot-events-buffer-config '(:size 0)
      flymake-no-changes-timeout 0.1
      make-backup-files nil)

(defun report (mark what)
  (princ (format "%-4s emacs: %s\n" mark what)))

(defun ok (what condition &optional seen)
  "Report WHAT, which is fine if CONDITION; SEEN is told if not."
  (report (if condition "ok" "FAIL") what)
  (unless condition
    (when seen (princ (format "  seen: %S\n" seen)))
    (kill-emacs 1)))

(defun becomes (what condition &optional seen)
  "Wait until CONDITION, a function, holds; report WHAT."
  (let ((end (+ (float-time) 15)) reached)
    (while (not (or (setq reached (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.05))
    (ok what reached (and (not reached) seen (funcall seen)))))

(defun at (text)
  "Put point at the first TEXT of this buffer."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun face-of (text)
  (save-excursion
    (at text)
    (font-lock-ensure)
    (let ((face (get-text-property (point) 'face)))
      (if (consp face) (car face) face))))

(defun file (name)
  (find-file (expand-file-name name (getenv "PROJECT"))))

;; The mode.
(file "article.ptx")
(ok "a PreTeXt document is XML" (derived-mode-p 'nxml-mode) major-mode)
(file "clean.ptx")
(ok "a kernel is PTX" (eq major-mode 'ptx-mode) major-mode)
(pcase-dolist (`(,text ,face)
               '((".version" font-lock-keyword-face) ("saxpy(" font-lock-function-name-face) (".u32 saxpy_n" font-lock-type-face)
                 (".reg" font-lock-builtin-face) ("ld.param.u32" font-lock-function-call-face) ("bra" font-lock-function-call-face)
                 ("@%p1" nil) ("%p1 bra" font-lock-preprocessor-face) ("/* the whole" font-lock-comment-delimiter-face)
                 ("$finish:" font-lock-constant-face) ("%ctaid.x" font-lock-variable-use-face)))
  (ok (format "the colour of `%s'" text) (eq (face-of text) face) (face-of text)))
(at "fma.rn")
(ok "an opcode with its modifiers is one symbol" (equal (thing-at-point 'symbol t) "fma.rn.f32") (thing-at-point 'symbol t))
(at "%f2, [")
(ok "so is a register" (equal (thing-at-point 'symbol t) "%f2") (thing-at-point 'symbol t))
(let ((before (buffer-string)))
  (setq indent-tabs-mode t tab-width 4)
  (indent-region (point-min) (point-max))
  (ok "indentation leaves a tidy kernel alone" (equal (buffer-string) before)
      (cl-mismatch before (buffer-string))))
(at "fma.rn")
(comment-line 1)
(ok "a line becomes a comment" (save-excursion (forward-line -1) (looking-at-p "[ \t]*// fma")) (thing-at-point 'line t))
(set-buffer-modified-p nil)
(kill-buffer)

;; The server: a wrong operand.
(defun diagnostics ()
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun hints ()
  "Eglot's inlay hints of this buffer, as `line: text'."
  (eglot--update-hints-1 (point-min) (point-max))
  (accept-process-output nil 0.2)
  (delq nil (mapcar (lambda (overlay)
                      (and (overlay-get overlay 'eglot--inlay-hint)
                           (format "%d: %s" (line-number-at-pos (overlay-start overlay))
                                   (substring-no-properties (or (overlay-get overlay 'after-string)
                                                                (overlay-get overlay 'before-string) "")))))
                    (overlays-in (point-min) (point-max)))))

(defun hint-p (text value)
  "Whether a hint in the line of TEXT has VALUE."
  (let ((line (save-excursion (at text) (line-number-at-pos))))
    (seq-some (lambda (hint) (string-match-p (format "\\`%d: .*%s" line (regexp-quote value)) hint)) (hints))))

(defvar last-message "")
(define-advice message (:before (text &rest rest) remember)
  (setq last-message (if text (apply #'format-message text rest) "")))

(file "operand.ptx")
(apply #'eglot (eglot--guess-contact))
(becomes "Eglot manages the buffer" (lambda () (eglot-managed-p)))
(becomes "a wrong operand is reported" (lambda () (seq-some (lambda (text) (string-search (getenv "OPERAND_TOKEN") text)) (diagnostics)))
         #'diagnostics)
(at "add.u32")
(ok "hover tells what the opcode does"
    (string-match-p (getenv "HOVER_WORD")
                    (format "%S" (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams)))))

;; Completion: the items that are offered at point, and what accepting one writes.
(defun offered ()
  "The completions at point."
  (let ((capf (run-hook-with-args-until-success 'completion-at-point-functions)))
    (mapcar #'substring-no-properties
            (let ((text (buffer-substring-no-properties (nth 0 capf) (nth 1 capf))))
              (all-completions text (nth 2 capf) (plist-get (nthcdr 3 capf) :predicate))))))

(defun typed (text)
  "Type TEXT in a line of its own above the wrong operand."
  (at "add.u32")
  (beginning-of-line)
  (insert "    " text "\n")
  (forward-char -1))

(typed "ld.gl")
(ok "a modifier is offered behind a dot" (member ".global" (offered)) (offered))
(let* ((capf (run-hook-with-args-until-success 'completion-at-point-functions))
       (text (buffer-substring-no-properties (nth 0 capf) (nth 1 capf)))
       (item (seq-find (lambda (item) (equal (substring-no-properties item) ".global")) (all-completions text (nth 2 capf)))))
  (delete-region (nth 0 capf) (nth 1 capf))
  (insert item)
  (funcall (plist-get (nthcdr 3 capf) :exit-function) item 'finished)
  (ok "it takes the place of what is typed" (string-match-p "\\`    ld\\.global\n" (thing-at-point 'line t)) (thing-at-point 'line t)))
(delete-line)

;; Signatures: ElDoc asks for them at each operand.
(defun signatures ()
  "What ElDoc is told of the signature at point."
  (let (told)
    (eglot--signal-textDocument/didChange) ; no timer runs in batch mode
    (eglot-signature-eldoc-function (lambda (text &rest _) (setq told text)))
    (let ((end (+ (float-time) 10)))
      (while (and (not told) (< (float-time) end))
        (accept-process-output nil 0.05)))
    (and told (substring-no-properties told))))

(dolist (place '("ld.param.u64 %rd1, [" "ld.param.u64 %rd" "fma.rn.f32 %f1, %f1, %f" "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, "))
  (typed place)
  (ok (format "a signature is shown at `%s'" place)
      (condition-case problem (string-search (car (split-string place)) (or (signatures) "")) (error nil))
      (condition-case problem (signatures) (error problem)))
  (delete-line))
(set-buffer-modified-p nil)

;; A kernel that is evaluated.
(defun result ()
  (let ((buffer (get-buffer "*ptx-analyzer: parting*")))
    (if buffer (with-current-buffer buffer (buffer-string)) "")))

(file "parting.ptx")
(eglot-ensure)
(becomes "a second file has the server" (lambda () (eglot-managed-p)))
(at "mul.f32")
(ptx-analyzer-evaluate 5)
(becomes "the result is shown" (lambda () (string-search "parting" (result))))
(ok "with the output" (string-search "`out`" (result)) (result))
(ok "a line says how it went" (string-match-p "parting finished after [0-9]+ warp" last-message) last-message)
(becomes "the values of the lane are hints" (lambda () (hint-p "rsqrt" "1.41")) #'hints)
(ok "in the buffer that is shown there" (with-current-buffer "*ptx-analyzer: parting*" (derived-mode-p 'special-mode)))
(at "0f3F000000")
(delete-char 10)
(insert "0f40000000")
(with-current-buffer "*ptx-analyzer: parting*" (revert-buffer))
(becomes "`g' does it again, with the text of now" (lambda () (string-search "12.0" (result))) #'result)
(becomes "and so are the values" (lambda () (hint-p "rsqrt" "0.70")) #'hints)
(ptx-analyzer-clear-evaluation)
(becomes "the values go" (lambda () (not (hint-p "rsqrt" "0.70"))) #'hints)
(ok "there is no lane 40" (condition-case problem (progn (ptx-analyzer-evaluate 40) nil) (user-error problem)))
(erase-buffer)
(insert ".version 8.0\n.target sm_80\n.address_size 64\n")
(ptx-analyzer-evaluate)
(becomes "where there is no kernel, a message says so" (lambda () (string-match-p "\\`ptx-analyzer: .*kernel" last-message))
         (lambda () last-message))
(set-buffer-modified-p nil)

(file "short.ptx")
(eglot-ensure)
(becomes "a third file has the server" (lambda () (eglot-managed-p)))
(ptx-analyzer-evaluate)
(becomes "a fault is a diagnostic" (lambda () (seq-some (lambda (text) (string-search "past the end" text)) (diagnostics))) #'diagnostics)

(eglot-shutdown (eglot-current-server))
(ok "without a server the command says so" (condition-case problem (progn (ptx-analyzer-evaluate) nil) (user-error problem)))
(dolist (buffer (buffer-list))
  (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs 0)
;;; emacs_test.el ends here
