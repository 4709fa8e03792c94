#!/usr/bin/env bash
# Runs the kernels under UndefinedBehaviorSanitizer, the tests under AddressSanitizer, and those of threads under
# ThreadSanitizer.
#
# Tests are optimized, because they would take hours otherwise. Exclusive access is checked only by the compiler:
# ThreadSanitizer mistakes the checks at run time for races on memory that a Mutex guards. Tests run one at a time, so
# that each has its own time limit. AddressSpaceTests run the command with little address space, of which
# AddressSanitizer alone needs terabytes.
set -euo pipefail
cd "$(dirname "$0")/../.."
export APUS_WITHOUT_PLUGIN=1 SWIFT_BACKTRACE=enable=no

concurrent=(
	ThreadPoolTests SessionTests ExecutionTests BatchRunnerTests CommitTests CancellationTests MemoryBudgetTests
	MemoryTests RequestTests FrameDatasetTests ProfileTests TraceTests
)
Tests/KernelVariants/run.sh sanitized
ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 swift test -c release --no-parallel \
	--sanitize address --scratch-path .build/address --skip AddressSpaceTests
TSAN_OPTIONS=suppressions=Tests/Sanitizers/thread.txt swift test -c release --no-parallel \
	--sanitize thread --scratch-path .build/thread -Xswiftc -enforce-exclusivity=unchecked \
	--filter "$(IFS='|' && echo "${concurrent[*]}")"
