((comment) @injection.content
  (#set! injection.language "comment"))

((preprocessor_line) @injection.content
  (#set! injection.language "c"))
