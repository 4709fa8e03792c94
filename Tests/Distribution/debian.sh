#!/usr/bin/env bash
# Tests an archive of the C library in a new Debian without Swift, by test.sh.
#
#     Tests/Distribution/debian.sh [--keep] [--folder FOLDER] ARCHIVE [PART...]
#
# The system and fetched packages are kept in FOLDER, by default .cache/fresh, for the next time, as Tests/Fresh keeps
# them. --keep leaves the root in FOLDER/root.
set -euo pipefail

repository=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
source "$repository/Tests/Fresh/root.sh"
packages=ca-certificates,gcc,g++,libc6-dev,make,cmake,pkg-config,valgrind,libc6-dbg,abigail-tools
read_options "$@"
set -- "${arguments[@]}"
[ $# -gt 0 ] && [ -e "$1" ] || fail "an archive of make dist is needed"
enter_namespace "$@"
make_root

tests=$root/root/apus/Tests
mkdir -p "$tests/Fixtures" "$root/root/dist"
cp -r "$repository"/Tests/{Distribution,InterfaceCalls} "$tests/"
cp -r "$repository"/Tests/Fixtures/{models,parts,photos,tasks} "$tests/Fixtures/"
mkdir -p "$root/root/apus/Documentation"
cp "$repository"/Documentation/Apus.docc/Articles/UsingC.md "$root/root/apus/Documentation/"
cp "$1" "$root/root/dist/"
[ ! -e "$(dirname "$1")/symbols" ] || cp -r "$(dirname "$1")/symbols" "$root/root/dist/"
environment+=("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
archive=/root/dist/$(basename "$1")
shift
in_root /root/apus "Tests/Distribution/test.sh $archive $*"
