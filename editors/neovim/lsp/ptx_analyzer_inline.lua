-- `vim.lsp.config` reads this file (Neovim 0.11 and newer); `vim.lsp.enable('ptx_analyzer_inline')` starts the server for
-- PTX in the strings of C, C++, CUDA and Python files, beside clangd or pyright.
return require('ptx-analyzer.inline').defaults()
