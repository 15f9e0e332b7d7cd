  ptx = {
    install_info = {
      location = 'tree-sitter-ptx',
      revision = 'v0.1.0',
      url = 'https://github.com/ptx-analyzer/ptx-analyzer',
    },
    maintainers = { '@ptx-analyzer' },
    tier = 2,
  },
