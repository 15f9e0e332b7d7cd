;;; upstream_test.el --- the recipe for MELPA, and what it packs  -*- lexical-binding: t; -*-
(require 'package)
(require 'cl-lib)
(let* ((recipe (with-temp-buffer
                 (insert-file-contents "editors/upstream/melpa/recipes/ptx-mode")
                 (read (current-buffer))))
       (files (plist-get (cdr recipe) :files)))
  (cl-assert (eq (car recipe) 'ptx-mode))
  (cl-assert (eq (plist-get (cdr recipe) :fetcher) 'github))
  (cl-assert (= (length files) 1))
  (with-temp-buffer
    (insert-file-contents (car files))
    (let ((package (package-buffer-info)))
      (cl-assert (eq (package-desc-name package) 'ptx-mode))
      (cl-assert (package-desc-version package))
      (cl-assert (assq 'emacs (package-desc-reqs package)))
      (cl-assert (> (length (package-desc-summary package)) 10)))))
;;; upstream_test.el ends here
