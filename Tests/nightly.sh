#!/usr/bin/env bash
# Runs the checks that take too long for every change, one after another, goes on after those that fail, and names these
# at the end.
#
#     Tests/nightly.sh [CHECK...]
#
# A CHECK is a target of make with its variables, as in "parity-random COUNT=100000"; by default all below are run.
set -euo pipefail
cd "$(dirname "$0")/.."

# A step that reads what no step has written shows where the memory of runs is filled with NaN first.
checks=(
	"test APUS_FILL_ARENAS=1"
	"parity APUS_FILL_ARENAS=1"
	parity-random "parity-random PRECISION=bfloat16" "parity-random QUANTIZED=1"
	emulation test-neon test-reports test-example
	hostile fuzz sanitize
	test-dist hostile-c test-python hostile-python
	parity-pictures parity-evaluation parity-results parity-text parity-tflite parity-coreml parity-modern parity-tasks
	test-distributed compare-doors
	fresh
)
[ $# -eq 0 ] || checks=("$@")

failed=()
for check in "${checks[@]}"; do
	echo "== make $check"
	start=$SECONDS
	read -ra words <<<"$check"
	answer=passed
	make --no-print-directory "${words[@]}" || { answer=failed; failed+=("$check"); }
	echo "== make $check: $answer after $(((SECONDS - start + 59) / 60)) minutes"
done
[ ${#failed[@]} -gt 0 ] || { echo "nightly: all ${#checks[@]} checks passed"; exit 0; }
echo "nightly: ${#failed[@]} of ${#checks[@]} checks failed:"
printf '    make %s\n' "${failed[@]}"
exit 1
