#!/usr/bin/env bash
# Gives random bytes to what reads files, under libFuzzer and AddressSanitizer.
#
#     [TARGETS="model picture"] [SECONDS_EACH=3600] Tests/Fuzzing/run.sh
#
# All Swift modules are instrumented, so that libFuzzer sees which code an input reaches. -sanitize=fuzzer would add a
# second main besides SwiftPM's, so the library without a main is linked.
set -euo pipefail
cd "$(dirname "$0")/../.."
export APUS_WITHOUT_PLUGIN=1 SWIFT_BACKTRACE=enable=no LSAN_OPTIONS=suppressions=Tests/Sanitizers/leaks.txt
cache=${CACHE:-.cache}

clang=$(dirname "$(command -v swift)")/clang
library=$("$clang" -print-resource-dir)/lib/linux/libclang_rt.fuzzer_no_main-$(uname -m).a
APUS_FUZZ=1 swift build -c release --product fuzz --scratch-path .build/fuzz --sanitize address \
	-Xswiftc -sanitize-coverage=edge,trace-cmp,indirect-calls,inline-8bit-counters,pc-table \
	-Xlinker "$library" -Xlinker -lstdc++

# Temporary files are kept in memory if possible, because cache entries are synchronized with the disk.
[ -d /dev/shm ] && files=/dev/shm || files=/tmp
status=0
for target in ${TARGETS:-model picture companion manifest graph}; do
	mkdir -p "$cache/fuzz/$target" "Tests/Fuzzing/Reproducers/$target"
	APUS_FUZZ_TARGET=$target TMPDIR=$files .build/fuzz/release/fuzz \
		-max_total_time="${SECONDS_EACH:-60}" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="Tests/Fuzzing/Reproducers/$target/" \
		"$cache/fuzz/$target" "Tests/Fuzzing/Corpus/$target" || status=1
done
exit $status
