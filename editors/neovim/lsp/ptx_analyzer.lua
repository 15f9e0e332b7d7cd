-- `vim.lsp.config` reads this file (Neovim 0.11 and newer); `vim.lsp.enable('ptx_analyzer')` is enough to start the
-- server. Change parts of the configuration with `vim.lsp.config('ptx_analyzer', { … })` or with
-- `require('ptx-analyzer').setup{ … }`.
return require('ptx-analyzer.client').defaults()
