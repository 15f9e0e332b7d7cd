-- Read by `vim.lsp.config` (Neovim 0.11 and newer); `vim.lsp.enable('ptx_analyzer')` is all it takes.
-- Change parts of it with `vim.lsp.config('ptx_analyzer', { … })` or with `require('ptx-analyzer').setup{ … }`.
return require('ptx-analyzer.client').defaults()
