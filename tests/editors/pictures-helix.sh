# What Helix shows. Sourced by pictures.test.sh.
# shellcheck shell=bash disable=SC2154

helix_pictures() {
  :
}
