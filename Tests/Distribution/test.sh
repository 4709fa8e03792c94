#!/usr/bin/env bash
# Tests an archive of the C library as a stranger has it: unpacks it, builds programs in C and C++ with pkg-config and
# CMake, and runs them, also under AddressSanitizer and valgrind.
#
#     Tests/Distribution/test.sh ARCHIVE [PART...]
#
# The parts are facts, interface, builds, article, programs, sanitizer and valgrind; all of them by default. It needs
# gcc, g++, make, cmake, pkg-config, valgrind and abigail-tools, and no Swift. Names of the library's functions, which
# the suppressions for valgrind are about, are read from symbols/ beside the archive.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
archive=$(readlink -f "${1:?"an archive of make dist is needed"}")
shift
[ $# -gt 0 ] || set -- facts interface builds article programs sanitizer valgrind
fixtures=$here/../Fixtures
calls=$here/../InterfaceCalls
programs=(models tensors sessions predictors runs asynchronous messages threads forks endings)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "test.sh: $*" >&2; exit 1; }

# The archive is unpacked, and then moved to a place with a blank in its name.
tar -C "$work" -xzf "$archive"
first=$(echo "$work"/apus-*)
moved="$work/another place/apus"
package=$first
export PKG_CONFIG_PATH=$first/lib/pkgconfig
warnings=(-Wall -Wextra -Werror -pedantic -g -O1 -D_POSIX_C_SOURCE=200809L)

move() {
	[ "$package" = "$first" ] || return 0
	mkdir "$work/another place"
	mv "$first" "$moved"
	package=$moved
	symbols=$(dirname "$archive")/symbols
	[ ! -e "$symbols" ] || cp -r "$symbols" "$moved/lib/.debug"
}

# by_pkg_config FOLDER COMPILER...: builds every program.
by_pkg_config() {
	local folder=$1 program
	shift
	mkdir -p "$folder"
	for program in "${programs[@]}" memory; do
		"$@" "${warnings[@]}" $(pkg-config --cflags apus) "$here/programs/$program.c" "$here"/programs/{support,networks}.c \
			-o "$folder/$program" -Wl,-rpath,"$(pkg-config --variable=libdir apus)" $(pkg-config --libs apus) -pthread -lm
	done
}

# by_cmake FOLDER STANDARD: builds every program.
by_cmake() {
	cmake -S "$here" -B "$1" -DCMAKE_PREFIX_PATH="$package" -DSTANDARD="$2" >"$work/cmake.txt" || {
		cat "$work/cmake.txt" >&2
		fail "cmake failed"
	}
	cmake --build "$1" --parallel 2 >"$work/cmake.txt" || { cat "$work/cmake.txt" >&2; fail "the build failed"; }
}

# run FOLDER PROGRAM [ARGUMENT...]: runs a program in an empty folder; $runner is put before it.
runner=()
run() {
	local folder=$1 program=$2
	shift 2
	rm -rf "$work/here" && mkdir "$work/here"
	(cd "$work/here" && timeout 1800 "${runner[@]}" "$folder/$program" "$fixtures" "$package/bin/apus" "$@") ||
		fail "$(basename "$folder")/$program ended with $?"
}

# limit FILE BYTES: a file may not grow beyond what was decided.
limit() { [ "$(stat -c %s "$1")" -le "$2" ] || fail "$(basename "$1") has more than $2 bytes"; }

facts() {
	local library=$package/lib/libapus.so.0 file newest
	stat -c '%s bytes: %n' "$archive" "$library" "$package/bin/apus" | sed "s|$work/||"
	limit "$library" 40000000
	limit "$package/bin/apus" 41000000
	nm -D --defined-only "$library" | awk '$3 ~ /^apus_/ { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
	sed -n "s/.*<elf-symbol name='\(apus_[a-z0-9_]*\)' type='func-type'.*/\1/p" "$here/interface/libapus.abi" |
		sort >"$work/described"
	echo "$(wc -l <"$work/exported") functions are exported"
	diff "$work/described" "$work/exported" || fail "the library does not export the functions of its description"
	[ "$(nm -D --defined-only "$library" | grep -vc ' A ')" = "$(wc -l <"$work/exported")" ] || fail "it exports more"
	readelf -d "$library" | grep -q 'FLAGS_1.*NODELETE' || fail "the library can be unloaded"
	for file in "$library" "$package/bin/apus" "$package"/lib/apus/*.so.*; do
		newest=$(objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
		echo "$(basename "$file") needs $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | xargs)" \
			"and $newest"
		[ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -1)" = GLIBC_2.34 ] || fail "that is newer than 2.34"
		! readelf -d "$file" | grep NEEDED | grep -vE -- '-apus\.so|lib(c|m|z|gcc_s)\.so|ld-linux' ||
			fail "$(basename "$file") needs what not every Linux has"
	done
}

interface() {
	"$here/interface/interface.sh" check "$package/include/apus.h"
	"$here/interface/interface.sh" prove "$package/include/apus.h"
}

builds() {
	by_pkg_config "$work/pkg-config-c99" gcc -std=c99
	by_pkg_config "$work/pkg-config-c++11" g++ -x c++ -std=c++11
	run "$work/pkg-config-c99" tensors
	move
	by_cmake "$work/cmake-c99" 99
	by_cmake "$work/cmake-c++11" 11
	by_cmake "$work/cmake-c++20" 20
	local version
	version=$("$package/bin/apus" --version)
	for version in "" "${version%.*}" "$version" 0.0 99; do
		mkdir -p "$work/version"
		printf '%s\n' "cmake_minimum_required(VERSION 3.13)" "project(Version C)" "find_package(apus $version REQUIRED)" \
			>"$work/version/CMakeLists.txt"
		if cmake -S "$work/version" -B "$work/version/build" -DCMAKE_PREFIX_PATH="$package" >/dev/null 2>&1; then
			[ "$version" != 0.0 ] && [ "$version" != 99 ] || fail "find_package takes version $version"
		else
			[ "$version" = 0.0 ] || [ "$version" = 99 ] || fail "find_package does not take version \"$version\""
		fi
		rm -rf "$work/version"
	done
}

# The programs of the article, and its project of CMake, do what the article says.
article() {
	local page=$here/../../Documentation/UsingC.md folder=$work/article language number found
	[ -e "$page" ] || page=$here/../../Documentation/Apus.docc/Articles/UsingC.md
	mkdir -p "$folder"
	awk -v folder="$folder" '/^```$/ { file = "" } file { print >file }
		/^```c$/ { file = folder "/" ++count ".c" } /^```cmake$/ { file = folder "/CMakeLists.txt" }' "$page"
	[ "$(echo "$folder"/*.c)" = "$folder/1.c $folder/2.c" ] || fail "the article does not have two programs"
	for language in "gcc -std=c99" "g++ -x c++ -std=c++11"; do
		for number in 1 2; do
			$language "${warnings[@]}" "$folder/$number.c" -o "$folder/$number" \
				-I"$package/include" -L"$package/lib" -lapus -Wl,-rpath,"$package/lib"
		done
		found=$("$folder/1" "$fixtures/models/squeezenet1_1.onnx" "$fixtures/photos/coffee.png")
		[[ $found = "espresso 0."* ]] || fail "the first program of the article says $found"
		found=$("$folder/2" "$fixtures/models/squeezenet1_1.onnx")
		[ "$found" = "2 axes, 1000 scores" ] || fail "the second program of the article says $found"
	done
	mv "$folder/1.c" "$folder/first.c"
	cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$package" >/dev/null
	cmake --build "$folder/build" >/dev/null
	! "$folder/build/first" "$fixtures/models/squeezenet1_1.onnx" "$here/test.sh" 2>"$folder/message" ||
		fail "the first program of the article finds a class in a script"
	grep -q "not a picture" "$folder/message" || fail "the first program of the article says $(cat "$folder/message")"
}

programs() {
	local program
	# The library is found where it is now, not where it was when the programs were built.
	export LD_LIBRARY_PATH=$package/lib
	for program in "${programs[@]}" memory; do run "$work/pkg-config-c99" "$program"; done
	run "$work/pkg-config-c++11" sessions
	unset LD_LIBRARY_PATH
	for program in "${programs[@]}"; do run "$work/cmake-c++20" "$program"; done
	run "$work/cmake-c++11" owning
	run "$work/cmake-c++20" owning
	run "$work/cmake-c99" bad_arguments
	loading "$work/cmake-c99"
	loading "$work/cmake-c99" SWIFT_BACKTRACE=enable=yes
}

# loading FOLDER [VARIABLE=VALUE]: what the library does to a process.
loading() {
	rm -rf "$work/here" && mkdir "$work/here"
	(cd "$work/here" && env ${2:-} "${runner[@]}" "$1/loading" "$fixtures" "$package/lib/libapus.so.0") || {
		head -20 "$work/here/silence.txt" >&2
		fail "loading ${2:-} failed"
	}
}

sanitizer() {
	gcc -std=c99 "${warnings[@]}" -fsanitize=address,undefined -fno-sanitize-recover=all -I"$package/include" \
		-I"$calls/include" "$calls/bad_arguments.c" "$here"/programs/{bad_arguments,support,networks}.c \
		-o "$work/bad_arguments" "$package/lib/libapus.so" -Wl,-rpath,"$package/lib" -lm
	ASAN_OPTIONS=use_sigaltstack=0 run "$work" bad_arguments
}

# hostile COMMAND FILE STATUS: what the library does with a model that is cut off.
hostile() {
	local status=0
	head -c 100000 "$fixtures/models/squeezenet1_1.onnx" >"$2"
	# By env, since the function valgrind has the name of the program.
	env "${runner[@]}" "$work/cmake-c99/hostile" "$1" "$2" 2>"$work/message" || status=$?
	[ "$status" = "$3" ] || { cat "$work/message" >&2; fail "hostile $1 ended with $status"; }
}

valgrind() {
	local program
	# valgrind knows no AVX-512; the command that is compared with is told to leave it too.
	! grep -q avx512f /proc/cpuinfo || export APUS_INSTRUCTIONS=avx2
	runner=(valgrind --quiet --error-exitcode=9 --num-callers=20 --fair-sched=yes --suppressions="$here/valgrind.supp")
	# What threads of the parent held is lost to a child, and a process that exits in the middle of work leaves it.
	for program in forks endings; do run "$work/cmake-c99" "$program"; done
	runner+=(--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite)
	for program in models tensors predictors runs asynchronous messages bad_arguments; do
		run "$work/cmake-c99" "$program"
	done
	run "$work/cmake-c++20" owning
	run "$work/cmake-c99" memory 200
	# valgrind's processor has other caches, and so another plan than the command's.
	run "$work/cmake-c99" sessions tool
	loading "$work/cmake-c99"
	hostile inspect "$work/cut.onnx" 3
	# threads is left out: it takes more than a quarter of an hour, and asynchronous has threads too.
	runner=()
	unset APUS_INSTRUCTIONS
}

for part in "$@"; do
	case $part in facts | interface | builds | article | programs | sanitizer | valgrind) ;; *) fail "there is no part $part" ;; esac
	[ "$package" != "$first" ] || [[ $part != article && $part != programs && $part != sanitizer && $part != valgrind ]] || builds
	echo "test.sh: $part"
	$part
done
echo "test.sh: every part passed"
