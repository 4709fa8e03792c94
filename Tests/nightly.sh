#!/usr/bin/env bash
# Runs the checks that take too long for every change, one after another, goes on after those that fail, and ends with a
# table of what passed, what failed and what was not run.
#
#     Tests/nightly.sh [CHECK...]
#
# A CHECK is a target of make with its variables, as in "parity-random COUNT=100000"; by default all below are run. An
# interruption ends the check that runs, and the table names those that were left.
set -euo pipefail
cd "$(dirname "$0")/.."

# A step that reads what no step has written shows where the memory of runs is filled with NaN first.
checks=(
	lint
	"test APUS_FILL_ARENAS=1"
	"parity APUS_FILL_ARENAS=1"
	docs interfaces conformance
	parity-random "parity-random PRECISION=bfloat16" "parity-random QUANTIZED=1"
	emulation test-neon test-reports test-example
	hostile fuzz sanitize
	test-dist wheel hostile-c test-python hostile-python
	"release UNTAGGED=1" test-release test-reproducible
	parity-pictures parity-evaluation parity-results parity-text parity-tflite parity-coreml parity-modern parity-tasks
	test-distributed compare-doors
	fresh
)
[ $# -eq 0 ] || checks=("$@")

answers=()
minutes=()
isEnding=
trap 'isEnding=yes' INT TERM
for check in "${checks[@]}"; do
	[ -z "$isEnding" ] || { answers+=("not run"); minutes+=(""); continue; }
	echo "== make $check"
	start=$SECONDS
	read -ra words <<<"$check"
	answer=passed
	make --no-print-directory "${words[@]}" || answer=failed
	[ -z "$isEnding" ] || answer="not run"
	answers+=("$answer")
	minutes+=("$(((SECONDS - start + 59) / 60)) min")
	echo "== make $check: $answer after ${minutes[-1]}"
done

echo "nightly: $(git describe --always --dirty), $(date -u +%FT%TZ)"
for index in "${!checks[@]}"; do
	printf '%-8s %8s  make %s\n' "${answers[$index]}" "${minutes[$index]}" "${checks[$index]}"
done
for answer in "${answers[@]}"; do [ "$answer" = passed ] || exit 1; done
