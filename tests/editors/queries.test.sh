# The queries that the editors carry follow from the grammar's.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables
if compgen -G "$grammar/queries/*.scm" >/dev/null; then
  check 'the editors carry the queries of the grammar' "$here/sync-queries.sh" --check
else
  skip 'the editors carry the queries of the grammar (the grammar has none)'
fi
