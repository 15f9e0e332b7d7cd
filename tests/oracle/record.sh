#!/usr/bin/env bash
# Records NVIDIA's verdicts on generated snippets: verdicts.txt, and known-disagreements.txt with what we say otherwise.
# usage: PTXAS=/path/to/ptxas tests/oracle/record.sh        (ptxas of CUDA 13; from anywhere in the repository)
# The test `recorded_verdicts_are_ours` replays the verdicts without the assembler.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PTXAS:?set PTXAS to the assembler}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cargo build --release --quiet -p ptx-tests --example snippets
snippets=target/release/examples/snippets

# Each pair gets another sample of the same snippets, chosen by their text.
share=0
for pair in "9.5 sm_100a" "9.1 sm_90a" "8.7 sm_120" "8.1 sm_89" "7.0 sm_80" "6.4 sm_75" "6.0 sm_70" "4.3 sm_53" "3.1 sm_35"; do
  "$snippets" generate 4 | awk -v pair="$pair" -v share="$share" '
    { h = 7; for (i = 1; i <= length($0); i += 1) h = (h * 31 + index("abcdefghijklmnopqrstuvwxyz0123456789.%_:,", substr($0, i, 1))) % 1000003
      if (h % 31 == share) print pair " " $0 }' >>"$folder/in"
  share=$((share + 1))
done

python3 tests/oracle/ask.py <"$folder/in" | cut -f1 >"$folder/theirs"
{
  echo "# Verdicts of ptxas on generated snippets: OK|ERR, PTX version, target, snippet. Made by tests/oracle/record.sh."
  "$PTXAS" --version | sed -n 's/.*release/# ptxas, release/p'
  cat "$folder/theirs"
} >tests/oracle/verdicts.txt

"$snippets" judge <"$folder/in" | cut -f1 >"$folder/ours"
{
  echo "# Where we and the assembler disagree, with our verdict first. The test fails when one of these begins to agree."
  diff --changed-group-format='%<' --unchanged-group-format='' "$folder/ours" "$folder/theirs" | sort -u || true
} >tests/oracle/known-disagreements.txt
grep -vc '^#' tests/oracle/verdicts.txt tests/oracle/known-disagreements.txt
