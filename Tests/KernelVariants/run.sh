#!/usr/bin/env bash
# Tests the kernels of each instruction set, after compiling them where a source is newer:
#
#     Tests/KernelVariants/run.sh host|neon|sanitized
#
# host is this processor; neon is the emulator, with dot products and without; sanitized is this processor, under
# UndefinedBehaviorSanitizer.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${CACHE:-.cache}/kernel-variants

sources=(Kernels/CPU/{copy,gemm,winograd,depthwise,integer,nibbles,processor,resampling}/*.c Tests/KernelVariants/*.c)

# compile OUTPUT OPTION...: by Swift's clang, as in the product.
compile() {
	local output=$1
	shift
	[ ! -e "$output" ] || [ -n "$(find Kernels Tests/KernelVariants -name '*.[ch]' -newer "$output")" ] || return 0
	mkdir -p "$(dirname "$output")"
	"$(dirname "$(command -v swift)")/clang" -O2 -Wall -Wextra -Werror -IKernels/CPU/include "${sources[@]}" -lm \
		-o "$output" "$@"
}

case ${1-} in
host)
	compile "$program"
	"$program"
	;;
neon)
	compile "$program-neon" --target=aarch64-linux-gnu -static -fuse-ld=lld
	qemu-aarch64 "$program-neon"
	qemu-aarch64 -cpu cortex-a53 "$program-neon"
	;;
sanitized)
	compile "$program-sanitized" -O1 -Wno-pass-failed -fsanitize=undefined -fno-sanitize-recover=all
	SWIFT_BACKTRACE=enable=no "$program-sanitized"
	;;
*)
	echo "run.sh: host, neon or sanitized" >&2
	exit 1
	;;
esac
