<#
.SYNOPSIS
Builds ptx-analyzer from this checkout and installs it in an editor, for the current user. Run it again after an update.

.EXAMPLE
powershell -ExecutionPolicy Bypass -File editors\install.ps1 vscode

.PARAMETER Editor
vscode, neovim, helix or emacs.

.NOTES
PTX_ANALYZER names a server that is built already, CODE another VS Code (codium, cursor), CC another C compiler than clang, gcc, zig or cl.
Windows PowerShell 5.1 and PowerShell 7 run it.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true, Position = 0)]
    [ValidateSet('vscode', 'neovim', 'helix', 'emacs')]
    [string] $Editor
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$root = (Resolve-Path -LiteralPath (Join-Path $PSScriptRoot '..')).ProviderPath
$grammar = Join-Path $root 'tree-sitter-ptx'

function Find-Program([string] $Name) {
    Get-Command -Name $Name -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
}

function Assert-Program([string] $Name, [string] $Hint) {
    if (-not (Find-Program $Name)) { throw "install.ps1: ``$Name`` is not on PATH: $Hint" }
}

# Runs a program. PowerShell does not stop where one fails.
function Invoke-Program([string] $Name, [string[]] $Arguments) {
    & $Name @Arguments
    if ($LASTEXITCODE -ne 0) { throw "install.ps1: ``$Name`` failed with exit code $LASTEXITCODE" }
}

# Builds the server, unless one is named. Returns its path.
function Get-Server {
    $server = $env:PTX_ANALYZER
    if (-not $server) {
        Assert-Program 'cargo' 'install Rust, https://rustup.rs'
        Invoke-Program 'cargo' @('install', '--locked', '--path', (Join-Path $root 'server\cli')) | Out-Host
        $cargoHome = if ($env:CARGO_HOME) { $env:CARGO_HOME } else { Join-Path $env:USERPROFILE '.cargo' }
        $server = Join-Path $cargoHome 'bin\ptx-analyzer.exe'
    }
    $server = (Resolve-Path -LiteralPath $server).ProviderPath
    Invoke-Program $server @('--version') | Out-Host
    $server
}

# The editor finds the server by its name.
function Show-Path([string] $Server) {
    if (-not (Find-Program 'ptx-analyzer')) {
        Write-Warning "Add $(Split-Path -Parent $Server) to PATH: the editor looks for ``ptx-analyzer`` there."
    }
}

# Compiles the grammar to a library that an editor loads.
function New-GrammarLibrary([string] $Output) {
    $source = Join-Path $grammar 'src'
    $files = @((Join-Path $source 'parser.c'), (Join-Path $source 'scanner.c'))
    $compiler = @($env:CC, 'clang', 'gcc', 'zig', 'cl') | Where-Object { $_ -and (Find-Program $_) } | Select-Object -First 1
    if (-not $compiler) { throw 'install.ps1: no C compiler is on PATH: install LLVM (clang), MinGW (gcc), Zig or the build tools of Visual Studio' }
    # In a folder of its own, since some compilers write more files beside the library.
    $build = Join-Path ([IO.Path]::GetTempPath()) "ptx-grammar-$([guid]::NewGuid())"
    New-Item -ItemType Directory -Path $build | Out-Null
    try {
        $library = Join-Path $build 'ptx.dll'
        switch ([IO.Path]::GetFileNameWithoutExtension($compiler)) {
            'cl' {
                Push-Location -LiteralPath $build
                try { Invoke-Program $compiler (@('/nologo', '/O2', '/LD', "/I$source") + $files + @("/Fe:$library")) | Out-Host }
                finally { Pop-Location }
            }
            'zig' { Invoke-Program $compiler (@('cc', '-O2', '-shared', '-I', $source, '-o', $library) + $files) | Out-Host }
            default { Invoke-Program $compiler (@('-O2', '-shared', '-I', $source, '-o', $library) + $files) | Out-Host }
        }
        # A parser that an editor has loaded cannot be overwritten, but it can be renamed.
        if (Test-Path -LiteralPath $Output) {
            $old = "$Output.old"
            Remove-Item -LiteralPath $old -Force -ErrorAction SilentlyContinue
            Move-Item -LiteralPath $Output -Destination $old -Force
            Remove-Item -LiteralPath $old -Force -ErrorAction SilentlyContinue
        }
        Copy-Item -LiteralPath $library -Destination $Output
    }
    finally { Remove-Item -LiteralPath $build -Recurse -Force -ErrorAction SilentlyContinue }
}

function Install-VSCode {
    # `code` is a script, code.cmd.
    $code = if ($env:CODE) { $env:CODE } else { 'code' }
    Assert-Program $code 'install VS Code, and let it add itself to PATH'
    Assert-Program 'npm' 'install Node.js 20 or newer'
    Assert-Program 'python' 'install Python 3.11 or newer; it collects the licences for the package'
    $env:PTX_ANALYZER = Get-Server
    # The processor of Windows, also where this PowerShell is emulated.
    $processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    $target = switch ($processor) {
        'AMD64' { 'win32-x64' }
        'ARM64' { 'win32-arm64' }
        default { throw "install.ps1: there is no package for $processor`: see editors/vscode/README.md" }
    }
    $vsix = Join-Path $root "editors\vscode\ptx-analyzer-$target.vsix"
    Push-Location -LiteralPath (Join-Path $root 'editors\vscode')
    try {
        Invoke-Program 'npm' @('ci', '--ignore-scripts')
        # Not by `npm run`, which needs `--`: PowerShell takes the `--` for itself.
        Invoke-Program 'node' @('scripts/package.mjs', '--target', $target, '--out', $vsix)
    }
    finally { Pop-Location }
    Invoke-Program $code @('--install-extension', $vsix, '--force')
}

function Install-Neovim {
    Assert-Program 'nvim' 'install Neovim 0.10 or newer'
    $server = Get-Server
    $data = if ($env:XDG_DATA_HOME) { Join-Path $env:XDG_DATA_HOME 'nvim-data' } else { Join-Path $env:LOCALAPPDATA 'nvim-data' }
    $folder = Join-Path $data 'site\pack\ptx\start'
    $link = Join-Path $folder 'ptx-analyzer'
    $plugin = Join-Path $root 'editors\neovim'
    New-Item -ItemType Directory -Path $folder -Force | Out-Null
    if (Test-Path -LiteralPath $link) {
        # Deletes a link and not what it leads to. A folder that somebody has copied there stays.
        if (-not (Get-Item -LiteralPath $link -Force).LinkType) { throw "install.ps1: $link is a folder, and not a link of an earlier installation: remove it first" }
        [IO.Directory]::Delete($link, $false)
    }
    # A junction needs no rights of an administrator.
    New-Item -ItemType Junction -Path $link -Target $plugin | Out-Null
    Invoke-Program 'nvim' @('--headless', '-u', 'NONE', '-i', 'NONE', '-c', "helptags $(Join-Path $plugin 'doc')", '-c', 'qall')
    # Neovim looks for this ending on Windows too.
    $parsers = Join-Path $plugin 'parser'
    New-Item -ItemType Directory -Path $parsers -Force | Out-Null
    New-GrammarLibrary (Join-Path $parsers 'ptx.so')
    Show-Path $server
}

function Install-Helix {
    $server = Get-Server
    $config = Join-Path $env:APPDATA 'helix'
    $queries = Join-Path $config 'runtime\queries'
    $grammars = Join-Path $config 'runtime\grammars'
    New-Item -ItemType Directory -Path $queries, $grammars -Force | Out-Null
    Remove-Item -LiteralPath (Join-Path $queries 'ptx') -Recurse -Force -ErrorAction SilentlyContinue
    Copy-Item -LiteralPath (Join-Path $root 'editors\helix\queries\ptx') -Destination $queries -Recurse
    New-GrammarLibrary (Join-Path $grammars 'ptx.dll')
    $languages = Join-Path $config 'languages.toml'
    if ((Test-Path -LiteralPath $languages) -and (Select-String -LiteralPath $languages -SimpleMatch 'language-server.ptx-analyzer' -Quiet)) {
        Write-Output "$languages has an entry for ptx-analyzer already: it stays as it is."
    }
    else {
        $path = $grammar.Replace('\', '/')
        $lines = Get-Content -LiteralPath (Join-Path $root 'editors\helix\languages.toml') -Encoding UTF8 |
            ForEach-Object { if ($_ -like 'source = { git = *') { "source = { path = `"$path`" }" } else { $_ } }
        # Without a byte-order mark, which TOML does not allow.
        [IO.File]::AppendAllText($languages, (($lines -join "`n") + "`n"), (New-Object Text.UTF8Encoding $false))
    }
    Show-Path $server
}

function Install-Emacs {
    Assert-Program 'emacs' 'install Emacs 29.1 or newer'
    $server = Get-Server
    $mode = (Join-Path $root 'editors\emacs\ptx-mode.el').Replace('\', '/')
    # In a file, because Windows PowerShell 5.1 drops quotes within arguments.
    $script = Join-Path ([IO.Path]::GetTempPath()) "ptx-install-$([guid]::NewGuid()).el"
    $lisp = "(progn (require 'package) (package-initialize) (package-install-file `"$mode`"))`n"
    [IO.File]::WriteAllText($script, $lisp, (New-Object Text.UTF8Encoding $false))
    try { Invoke-Program 'emacs' @('--batch', '--load', $script) }
    finally { Remove-Item -LiteralPath $script -Force }
    Write-Output "Add this line to your init file: (add-hook 'ptx-mode-hook #'eglot-ensure)"
    Show-Path $server
}

switch ($Editor) {
    'vscode' { Install-VSCode }
    'neovim' { Install-Neovim }
    'helix' { Install-Helix }
    'emacs' { Install-Emacs }
}
