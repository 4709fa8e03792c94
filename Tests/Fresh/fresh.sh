#!/usr/bin/env bash
# Runs commands in a new Debian that has only the Swift toolchain, git, make and a clone of the current commit.
#
#     Tests/Fresh/fresh.sh [--keep] [--folder FOLDER] [COMMAND...]
#
# The default commands are README's two: "make demo" and "make test". They run one after another in the same root, with
# /proc, /dev and /sys mounted. The toolchain is bind-mounted from the folder of `swift`. The settings of apt, git and
# pip, and local folders that they name, come from this machine. debootstrap's system and fetched packages are kept in
# FOLDER, by default .cache/fresh, for the next time. --keep leaves the root in FOLDER/root.
set -euo pipefail

repository=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
source "$repository/Tests/Fresh/root.sh"
packages=ca-certificates,git,make
read_options "$@"
set -- "${arguments[@]}"
[ $# -gt 0 ] || set -- "make demo" "make test"
command -v swift >/dev/null || fail "there is no swift in PATH"
enter_namespace "$@"
make_root

# The parent of the folder of the compiler's modules.
toolchain=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)\/lib\/swift".*/\1/p')
[ -x "$toolchain/bin/swift" ] || fail "the toolchain of $(command -v swift) is not found"
[ "$toolchain" != /usr ] || fail "swift is a part of this system, and cannot be bound into another"
bind "$toolchain" ro

git clone --quiet --no-hardlinks "$repository" "$root/root/apus"
git -C "$root/root/apus" checkout --quiet --detach "$(git -C "$repository" rev-parse HEAD)"
environment+=("PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
in_root /root/apus "$@"
echo "fresh.sh: done: $(git -C "$repository" describe --always HEAD)"
