; extends

; PTX in calls of `asm`. Other processors' assembly has neither a type like `.u32` behind an opcode nor such opcodes.
((asm . (string) @injection.content)
  (#match? @injection.content "\\v<[a-uw-z]\\w*%(\\.[a-z0-9_:]+)*\\.%([busf]%(8|16|32|64|128)|pred|b?f16x2|bf16)>|^\"\\s*%(bar|barrier|membar|fence\\.%(proxy|sc|acq_rel)|cp\\.%(async|reduce)|wgmma|mbarrier|tcgen05|vote)\\.\\a|\\.reg\\s+\\.|\\@!?\\%\\w+\\s+\\a")
  (#offset! @injection.content 0 1 0 -1)
  (#set! injection.language "ptx"))
