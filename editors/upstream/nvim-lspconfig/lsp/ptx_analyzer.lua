---@brief
---
--- https://github.com/ptx-analyzer/ptx-analyzer
---
--- Language server for PTX, the assembly language of NVIDIA GPUs
---
--- `ptx-analyzer` can be installed with cargo:
---
--- ```sh
--- cargo install --git https://github.com/ptx-analyzer/ptx-analyzer --locked ptx-analyzer
--- ```
---
--- or from an archive of its [releases](https://github.com/ptx-analyzer/ptx-analyzer/releases).
---
--- PreTeXt documents have the extension `.ptx` too; the server sees what they are, and is silent.

---@type vim.lsp.Config
return {
  cmd = { 'ptx-analyzer' },
  filetypes = { 'ptx' },
  root_markers = { '.git' },
}
