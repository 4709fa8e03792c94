#!/usr/bin/env bash
# Compares the binary interface of apus.h with its committed description, libapus.abi.
#
#     interface.sh check HEADER    fails where a function, a type, a structure or a constant is not as described
#     interface.sh write HEADER    writes a new description: after additions, or for a new soname
#     interface.sh prove HEADER    makes changes to a copy of the header, and fails where check does not find one
#
# The library itself has no debug information. The compiler of Swift checks that its functions have the types of the
# header, so the types are read from a program in C that defines the header's functions.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
description=$here/libapus.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# stub HEADER: a library with the functions of the header, as $work/libapus.so.
stub() {
	rm -rf "$work/include" "$work/libapus.so"
	mkdir "$work/include" && cp "$1" "$work/include/apus.h" && awk -f "$here/stub.awk" "$1" >"$work/stub.c" &&
		(cd "$work" && gcc -std=c99 -g -shared -fPIC -Wl,-soname,libapus.so.0 -Iinclude stub.c -o libapus.so)
}

check() {
	local status=0
	stub "$1" || return 2
	abidiff --no-show-locs "$description" "$work/libapus.so" || status=$?
	# The lowest bits say that the tool itself failed.
	[ $((status & 3)) = 0 ] || return 2
	[ $status != 0 ] || return 0
	echo "interface.sh: the interface is not what $(basename "$description") says" >&2
	return 1
}

# changed NAME SED: whether check finds a change.
changed() {
	sed -E "$2" "$header" >"$work/changed.h"
	! cmp -s "$header" "$work/changed.h" || { echo "$1: the header has not changed" >&2; exit 1; }
	local status=0
	check "$work/changed.h" >"$work/found" 2>&1 || status=$?
	if [ $status != 1 ]; then
		cat "$work/found" >&2
		echo "interface.sh: a change is not found: $1" >&2
		exit 1
	fi
	echo "interface.sh: found: $1"
}

header=${2:?"a header is needed"}
case $1 in
check) check "$header" && echo "interface.sh: the interface is as described" ;;
write)
	stub "$header"
	abidw --no-corpus-path --no-show-locs --no-comp-dir-path --no-parameter-names --type-id-style hash \
		--out-file "$description" "$work/libapus.so"
	;;
prove)
	changed "a function is gone" '/^const char \*apus_version\(void\);$/d'
	changed "a function is renamed" 's/^apus_status apus_retain\(/apus_status apus_keep(/'
	changed "a function is new" 's/^const char \*apus_version\(void\);$/&\nint apus_more(void);/; s/int apus_more/apus_status apus_more/'
	changed "a parameter has another type" 's/apus_session_plan\(const apus_session \*session, int64_t batch/apus_session_plan(const apus_session *session, int32_t batch/'
	changed "a parameter is another handle" 's/apus_session_plan\(const apus_session \*/apus_session_plan(const apus_model */'
	changed "a parameter is gone" 's/(apus_text_get\(.*), size_t \*length, /\1, /'
	changed "a result has another type" 's/^const char \*apus_version/void apus_version/'
	changed "a member is longer" 's/char code\[60\]/char code[64]/'
	changed "a member is new" 's/^    int64_t resumed;/    int64_t skipped;\n&/'
	changed "members change places" 's/^    int64_t succeeded;/    int64_t total_;/; s/^    int64_t total; /    int64_t succeeded;/; s/total_/total/'
	changed "a callback has another type" 's/^(typedef void \(\*apus_log_function\)\()int32_t level/\1int64_t level/'
	changed "a constant has another value" 's/APUS_ERROR_FORK = 9,/APUS_ERROR_FORK = 19,/'
	changed "a constant moves the next ones" 's/^    APUS_LOG_TRACE,/    APUS_LOG_NOTHING,\n&/'
	;;
*) echo "interface.sh: there is no $1" >&2; exit 2 ;;
esac
