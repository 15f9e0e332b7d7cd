-- `.ptx` is PTX or PreTeXt; see lua/ptx-analyzer/filetype.lua.
require('ptx-analyzer.filetype').register()
