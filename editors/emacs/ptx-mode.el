;;; ptx-mode.el --- NVIDIA PTX, with the language server ptx-analyzer  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages, tools
;; URL: https://github.com/ptx-analyzer/ptx-analyzer
;; SPDX-License-Identifier: Apache-2.0 OR MIT

;;; Commentary:

;; A major mode for PTX: comments, colours, indentation, and the entry that
;; tells Eglot of the server.  With a file open, `M-x eglot' starts it;
;; `ptx-analyzer-evaluate' then runs the kernel at point without a GPU and
;; shows what came of it.
;;
;;     (add-to-list 'load-path "/path/to/ptx-analyzer/editors/emacs")
;;     (require 'ptx-mode)
;;     (add-hook 'ptx-mode-hook #'eglot-ensure)

;;; Code:

(require 'prog-mode)
(require 'seq)

(declare-function eglot-current-server "eglot")
(declare-function eglot-path-to-uri "eglot")
(declare-function eglot-inlay-hints-mode "eglot")
(declare-function eglot-completion-at-point "eglot")
(declare-function eglot-managed-p "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function markdown-view-mode "ext:markdown-mode")
(defvar eglot-server-programs)
(defvar eglot--outstanding-inlay-hints-last-region)

(defgroup ptx nil
  "NVIDIA PTX, and the language server ptx-analyzer."
  :group 'languages
  :prefix "ptx-")

(defcustom ptx-analyzer-command '("ptx-analyzer")
  "The command line that starts the language server."
  :type '(repeat string)
  :risky t)

(defcustom ptx-analyzer-settings nil
  "Settings of the server, without the prefix `ptx-analyzer.'.
A property list as `jsonrpc' has it: (:target \"sm_90a\" :inlayHints
\(:registers \"all\"))."
  :type '(plist :key-type symbol :value-type sexp))

(defcustom ptx-indent-offset 4
  "Columns by which a block is indented."
  :type 'natnum
  :safe #'natnump)

;;; The text

(defvar ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    ;; An opcode with its modifiers is one symbol, and so is a register.
    (dolist (char '(?_ ?$ ?% ?.))
      (modify-syntax-entry char "_" table))
    (dolist (char '(?@ ?! ?| ?+ ?- ?= ?& ?< ?>))
      (modify-syntax-entry char "." table))
    table)
  "Syntax of PTX.")

(defconst ptx--directives
  '("version" "target" "address_size" "entry" "func" "visible" "extern" "weak" "common" "alias" "pragma" "file" "loc" "section"
    "maxntid" "reqntid" "minnctapersm" "maxnctapersm" "maxnreg" "noreturn" "reqnctapercluster" "explicitcluster" "maxclusterrank"
    "blocksareclusters" "branchtargets" "calltargets" "callprototype" "align" "ptr" "abi_preserve" "abi_preserve_control")
  "Directives that are coloured as keywords.")

(defconst ptx--spaces '("reg" "sreg" "const" "global" "local" "param" "shared" "tex")
  "State spaces.")

(defvar ptx-mode-font-lock-keywords
  `(;; What tells how a kernel is run stands out from other comments.
    ("^[ \t]*\\(//!.*\\)$" 1 font-lock-doc-face prepend)
    (,(concat "\\_<\\.\\(?:" (regexp-opt ptx--directives) "\\)\\_>") . font-lock-keyword-face)
    (,(concat "\\_<\\.\\(?:" (regexp-opt ptx--spaces) "\\)\\_>") . font-lock-builtin-face)
    ("\\_<\\.\\(?:pred\\|[bsuf][0-9]+\\(?:x[0-9]+\\)?\\|bf16\\(?:x2\\)?\\|tf32\\|v[248]\\|texref\\|samplerref\\|surfref\\)\\_>"
     . font-lock-type-face)
    ("\\.\\(?:entry\\|func\\)[ \t]+\\(?:([^)\n]*)[ \t]*\\)?\\([A-Za-z_$%][A-Za-z0-9_$]*\\)" 1 font-lock-function-name-face)
    ("^[ \t]*\\([A-Za-z_$%][A-Za-z0-9_$]*\\):" 1 font-lock-constant-face)
    ;; An opcode begins a statement, possibly after a label, a brace or a guard.
    ("\\(?:^\\|[;:{]\\)[ \t]*\\(?:@!?[A-Za-z0-9_$%]+[ \t]+\\)?\\([a-z][a-z0-9_]*\\(?:\\(?:::\\|\\.\\)[A-Za-z0-9_]+\\)*\\)\\(?:[ \t;]\\|$\\)"
     1 'font-lock-function-call-face)
    ("%\\(?:n?tid\\|n?ctaid\\|laneid\\|n?warpid\\|n?smid\\|gridid\\|clock\\(?:64\\|_hi\\)?\\|lanemask_[a-z]+\\|cluster_[a-z]+\\|dynamic_smem_size\\)\\(?:\\.[xyz]\\)?\\_>"
     . 'font-lock-variable-use-face)
    ("@!?\\(%?[A-Za-z0-9_$]+\\)" 1 font-lock-preprocessor-face)
    ("\\_<\\(?:0[fFdD][0-9a-fA-F]+\\|0[xX][0-9a-fA-F]+U?\\|[0-9]+\\(?:\\.[0-9]+\\)?U?\\)\\_>" . 'font-lock-number-face))
  "Colours of PTX.")

(defun ptx-indent-line ()
  "Indent this line by the braces and parentheses around it.
A label stands one level further out than the instructions."
  (interactive)
  (let* ((depth (save-excursion
                  (back-to-indentation)
                  (let ((depth (car (syntax-ppss))))
                    (when (looking-at "[]})]\\|[A-Za-z_$%][A-Za-z0-9_$]*:\\(?:[^:]\\|$\\)")
                      (setq depth (1- depth)))
                    (max depth 0))))
         (column (* depth ptx-indent-offset))
         (from-end (- (point-max) (point))))
    (unless (nth 4 (save-excursion (syntax-ppss (line-beginning-position))))
      (indent-line-to column)
      ;; Keep point at the same text if it was after the white space.
      (when (> (- (point-max) from-end) (point))
        (goto-char (- (point-max) from-end))))))

(defvar-keymap ptx-mode-map
  :doc "Keys of PTX files."
  :parent prog-mode-map
  "C-c C-e" #'ptx-analyzer-evaluate
  "C-c C-k" #'ptx-analyzer-clear-evaluation)

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "Major mode for NVIDIA PTX.
The language server is Eglot's: type \\[eglot].  To run the kernel at point,
type \\[ptx-analyzer-evaluate]."
  (setq-local comment-start "// "
              comment-end ""
              comment-start-skip "\\(?://+!?\\|/\\*+\\)[ \t]*"
              indent-line-function #'ptx-indent-line
              electric-indent-chars (append "}):" electric-indent-chars)
              font-lock-defaults '(ptx-mode-font-lock-keywords)
              imenu-generic-expression
              '(("Kernels" "\\.entry[ \t]+\\([A-Za-z_$%][A-Za-z0-9_$]*\\)" 1)
                ("Functions" "\\.func[ \t]+\\(?:([^)]*)[ \t\n]*\\)?\\([A-Za-z_$%][A-Za-z0-9_$]*\\)" 1)))
  (add-hook 'eglot-managed-mode-hook #'ptx-analyzer--complete nil t))

;;;###autoload
(defun ptx-mode-or-xml ()
  "Choose the mode of a file `.ptx': PreTeXt, an XML format, has that name too.
No PTX module begins with `<'."
  (if (save-excursion
        (goto-char (point-min))
        (looking-at-p "\ufeff?[ \t\r\n]*<"))
      (nxml-mode)
    (ptx-mode)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode-or-xml))

;;; The server

(defun ptx-analyzer-contact (&rest _)
  "The command line of the server for Eglot, with the settings it hears first."
  (append ptx-analyzer-command
          (list :initializationOptions
                `(:ptx-analyzer ,(or ptx-analyzer-settings (make-hash-table))))))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((ptx-mode :language-id "ptx") . ptx-analyzer-contact)))

;; Eglot compares an item with the symbol before point.  The items behind a dot
;; replace the last modifier only.
(defvar ptx-analyzer--modifier-syntax-table
  (let ((table (make-syntax-table ptx-mode-syntax-table)))
    (modify-syntax-entry ?. "." table)
    table)
  "Syntax in which a symbol begins behind the last dot.")

(defun ptx-analyzer-completion-at-point ()
  "Complete opcodes, modifiers and operands with Eglot."
  (with-syntax-table ptx-analyzer--modifier-syntax-table
    (eglot-completion-at-point)))

(defun ptx-analyzer--complete ()
  "Complete with the server while Eglot manages the buffer."
  (if (eglot-managed-p)
      (add-hook 'completion-at-point-functions #'ptx-analyzer-completion-at-point -10 t)
    (remove-hook 'completion-at-point-functions #'ptx-analyzer-completion-at-point t)))

(defun ptx-analyzer--request (command argument on-answer)
  "Have the server of this buffer run COMMAND with ARGUMENT.
ON-ANSWER is called with what it says.  Emacs does not wait for that."
  (let ((server (and (fboundp 'eglot-current-server) (eglot-current-server))))
    (unless server
      (user-error "The server does not run for this buffer; M-x eglot starts it"))
    (when (fboundp 'eglot--signal-textDocument/didChange)
      ;; Eglot sends edits when Emacs is idle; the server needs them now.
      (eglot--signal-textDocument/didChange))
    (jsonrpc-async-request
     server :workspace/executeCommand
     (list :command command :arguments (vector argument))
     :success-fn on-answer
     :error-fn (lambda (problem)
                 (message "ptx-analyzer: %s" (or (plist-get problem :message) problem)))
     :timeout-fn (lambda () (message "ptx-analyzer: no answer")))))

(declare-function eglot--signal-textDocument/didChange "eglot")

(defun ptx-analyzer--uri ()
  "The name of this file as the server knows it."
  (eglot-path-to-uri (or buffer-file-name (user-error "This buffer has no file"))))

(defvar ptx-analyzer-result-font-lock-keywords
  '(("^#+ .*$" . font-lock-keyword-face)
    ("`\\([^`\n]+\\)`" 1 font-lock-constant-face)
    ("\\*\\*\\([^*\n]+\\)\\*\\*" 1 'bold)
    ("^|[-:| ]+|$" . font-lock-comment-face)
    ("^//!.*$" . font-lock-doc-face))
  "Colours of a result, where no mode for Markdown is installed.")

(define-derived-mode ptx-analyzer-result-mode special-mode "PTX result"
  "What came of an evaluation; \\`g' does it again, \\`q' closes it."
  (setq-local font-lock-defaults '(ptx-analyzer-result-font-lock-keywords t)
              truncate-lines t))

(defun ptx-analyzer--show (entry text again)
  "Show TEXT, the result of the kernel ENTRY.
AGAIN is the function that does it once more."
  (let ((buffer (get-buffer-create (format "*ptx-analyzer: %s*" entry))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t)
            (line (line-number-at-pos)))
        (erase-buffer)
        (insert text)
        (goto-char (point-min))
        (forward-line (1- line)))
      (unless (derived-mode-p 'ptx-analyzer-result-mode)
        (ptx-analyzer-result-mode))
      (setq-local revert-buffer-function (lambda (&rest _) (funcall again))))
    (display-buffer buffer)))

;; Eglot 1.17 does not handle `workspace/inlayHint/refresh', by which the
;; server reports that values have appeared or disappeared.  It requests the
;; hints of a region only if the region differs from the last one.
(defun ptx-analyzer--ask-for-hints (buffer)
  "Make Eglot ask for the inlay hints of BUFFER again, if it has any."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (when (bound-and-true-p eglot-inlay-hints-mode)
        (when (boundp 'eglot--outstanding-inlay-hints-last-region)
          (setq eglot--outstanding-inlay-hints-last-region nil))
        (eglot-inlay-hints-mode 1)))))

;;;###autoload
(defun ptx-analyzer-evaluate (&optional lane)
  "Evaluate warp: run the kernel at point without a GPU and show the result.
The kernel is the one around or below point; it is run with the launch in
the lines `//! launch:' above it, or with a guess.  Inlay hints tell what
LANE, by default 0, or the numeric prefix argument, has computed in each
line; faults are diagnostics.  Both follow edits until
`ptx-analyzer-clear-evaluation'."
  (interactive (list (if current-prefix-arg (prefix-numeric-value current-prefix-arg) 0)))
  (unless (<= 0 (or lane 0) 31)
    (user-error "A warp has the lanes 0 to 31"))
  (let ((source (current-buffer))
        (line (line-number-at-pos nil t)))
    (ptx-analyzer--request
     "ptx-analyzer.evaluateWarp"
     (list :uri (ptx-analyzer--uri) :line line :count 0 :focus (list :lane (or lane 0)))
     (lambda (answer)
       (when (buffer-live-p source)
         ;; The values are shown as inlay hints.
         (with-current-buffer source
           (when (fboundp 'eglot-inlay-hints-mode)
             (eglot-inlay-hints-mode 1)))
         (ptx-analyzer--ask-for-hints source)
         (ptx-analyzer--show
          (plist-get answer :entry)
          (plist-get answer :markdown)
          (lambda ()
            (with-current-buffer source
              (save-excursion
                (goto-char (point-min))
                (forward-line (1- line))
                (ptx-analyzer-evaluate lane)))))
         (let ((faults (length (plist-get answer :faults))))
           (message "ptx-analyzer: %s %s after %s warp instructions%s"
                    (plist-get answer :entry) (plist-get answer :status) (plist-get answer :warp_instructions)
                    (if (zerop faults) "" (format ", %d faults" faults)))))))))

;;;###autoload
(defun ptx-analyzer-clear-evaluation ()
  "Take the values and faults of the evaluation of this file away."
  (interactive)
  (ptx-analyzer--request "ptx-analyzer.clearEvaluation" (list :uri (ptx-analyzer--uri))
                         (let ((source (current-buffer)))
                           (lambda (_)
                             (ptx-analyzer--ask-for-hints source)
                             (message "ptx-analyzer: cleared")))))

(provide 'ptx-mode)
;;; ptx-mode.el ends here
