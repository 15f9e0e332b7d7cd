# Evaluations and tests in Neovim without a screen; neovim_warp_test.lua, neovim_values_test.lua and
# neovim_launches_test.lua look around.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

neovim_warp_tests() {
  neovim_plugin
  local name
  for name in grid steps lanes text clear commands; do
    neovim_scenario neovim_warp_test.lua "$name" "$project/parting.ptx"
  done

  # Statements over two lines.
  sed -e 's/mul.f32 %half, /mul.f32 %half,\n\t\t/' -e 's/sub.u32 %turns, %turns, /sub.u32 %turns,\n\t\t%turns, /' "$here/fixture/parting.ptx" >"$project/split.ptx"
  neovim_scenario neovim_warp_test.lua split "$project/split.ptx"
  rm "$project/split.ptx"

  # A kernel whose output buffer has only half of the required size: a fault.
  sed -e 's/out=u32\[128\]/out=u32[62]/' -e '/! expect/d' "$here/fixture/parting.ptx" >"$project/short.ptx"
  neovim_scenario neovim_warp_test.lua faults "$project/short.ptx"
  rm "$project/short.ptx"

  for name in edits restart closing windows result lens launches; do
    neovim_scenario neovim_warp_test.lua "$name" "$project/parting.ptx"
  done
  for name in readings memory; do
    neovim_scenario neovim_values_test.lua "$name" "$project/parting.ptx"
  done
  cp "$here/fixture/values.ptx" "$project/"
  for name in values every-reading groups memory-errors; do
    neovim_scenario neovim_values_test.lua "$name" "$project/values.ptx"
  done
  rm "$project/values.ptx"
  neovim_scenario neovim_warp_test.lua guess "$project/clean.ptx"
  sed 's/$/\r/' "$here/fixture/saxpy.ptx" >"$project/dos.ptx"
  neovim_scenario neovim_warp_test.lua guess-dos "$project/dos.ptx"
  rm "$project/dos.ptx"
  neovim_scenario neovim_warp_test.lua nothing-there "$project/article.ptx"

  cp "$here/fixture/tests.ptx" "$project/"
  for name in tests tests-of-all-files tests-cancelled; do
    neovim_scenario neovim_launches_test.lua "$name" "$project/tests.ptx"
  done
  neovim_scenario neovim_launches_test.lua tests-none "$project/clean.ptx"

  # A stub at the location of nvim-dap, with the interface that its help describes.
  mkdir -p "$XDG_CONFIG_HOME/nvim/lua"
  echo 'return { adapters = {}, configurations = {} }' >"$XDG_CONFIG_HOME/nvim/lua/dap.lua"
  neovim_scenario neovim_warp_test.lua dap "$project/parting.ptx"
  neovim_scenario neovim_launches_test.lua tests-debug "$project/tests.ptx"
  rm "$project/tests.ptx"
  echo 'return { adapters = { ptx = "mine" }, configurations = { ptx = { "mine" } } }' >"$XDG_CONFIG_HOME/nvim/lua/dap.lua"
  neovim_scenario neovim_warp_test.lua own-dap "$project/parting.ptx"
  rm -r "$XDG_CONFIG_HOME/nvim/lua"

  for name in vsplit float; do
    echo "require('ptx-analyzer').setup{ evaluate = { window = '$name', follow = false, hints = false } }" >"$XDG_CONFIG_HOME/nvim/init.lua"
    neovim_scenario neovim_warp_test.lua "$name" "$project/parting.ptx"
  done
  rm "$XDG_CONFIG_HOME/nvim/init.lua"
}

if have nvim; then neovim_warp_tests; fi
