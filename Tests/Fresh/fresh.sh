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

suite=bookworm
packages=ca-certificates,git,make
repository=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
folder=$repository/.cache/fresh
keep=

fail() { echo "fresh.sh: $*" >&2; exit 1; }

while [ $# -gt 0 ]; do
	case $1 in
	--keep) keep=yes; shift ;;
	--folder) [ $# -gt 1 ] || fail "--folder needs a folder"; folder=$2; shift 2 ;;
	--*) fail "there is no option $1" ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || set -- "make demo" "make test"
[ "$(id -u)" = 0 ] || fail "making a root and mounting in it is for root alone: run it with sudo"
command -v debootstrap >/dev/null || fail "there is no debootstrap: apt-get install debootstrap"
command -v swift >/dev/null || fail "there is no swift in PATH"
mkdir -p "$folder/archives/partial"
folder=$(readlink -f "$folder")
root=$folder/root

# All mounts are in a mount namespace of their own and end with it, however this script ends.
if [ "${APUS_FRESH_NAMESPACE:-}" != yes ]; then
	[ -e "$root" ] && rm -rf --one-file-system "$root"
	status=0
	options=(--folder "$folder")
	APUS_FRESH_NAMESPACE=yes unshare --mount --propagation private --pid --fork --kill-child \
		"$(readlink -f "${BASH_SOURCE[0]}")" "${options[@]}" "$@" || status=$?
	[ -n "$keep" ] && echo "fresh.sh: the root is kept in $root" || rm -rf --one-file-system "$root"
	exit $status
fi

# The repositories of Debian that this machine uses, or Debian's own.
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
	'Created-By: Packages' 'Origin: Debian' 2>/dev/null | grep " $suite" | sort -u || true)
[ -n "$sources" ] || sources=$(printf '%s\n' "deb http://deb.debian.org/debian $suite main" \
	"deb http://deb.debian.org/debian $suite-updates main" \
	"deb http://deb.debian.org/debian-security $suite-security main")
mirror=$(awk -v suite=$suite '$3 == suite { print $2; exit }' <<<"$sources")

base=$folder/$suite-$packages.tar
if [ ! -e "$base" ]; then
	debootstrap --variant=minbase --include="$packages" --cache-dir="$folder/archives" $suite "$root" "$mirror"
	rm -f "$root"/var/cache/apt/archives/*.deb
	tar -C "$root" --one-file-system -cf "$base.partial" .
	mv "$base.partial" "$base"
else
	mkdir "$root"
	tar -C "$root" -xf "$base"
fi

# copy PATH...: files and folders of this machine, at the same place.
copy() {
	local path
	for path in "$@"; do
		[ -e "$path" ] || continue
		mkdir -p "$root$(dirname "$path")"
		cp -RLT "$path" "$root$path"
	done
}

# bind PATH [OPTIONS]: a folder of this machine, at the same place.
bind() {
	mkdir -p "$root$1"
	mount --rbind "$1" "$root$1"
	[ $# -lt 2 ] || mount -o "remount,bind,$2" "$root$1"
}

echo "$sources" >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^(Acquire::(http|https|Retries|Check-)[^ ]*|Acquire::[^ ]*Proxy[^ ]*) ' \
	>"$root/etc/apt/apt.conf.d/90machine" || true
copy /etc/resolv.conf /etc/hosts /usr/local/share/ca-certificates
copy /etc/gitconfig /etc/pip.conf
settings=(.gitconfig .config/git .config/pip .pip)
for name in "${settings[@]}"; do
	[ -e "$HOME/$name" ] || continue
	mkdir -p "$(dirname "$root/root/$name")"
	cp -RLT "$HOME/$name" "$root/root/$name"
done
# TMPDIR of this machine may not exist in the root.
chroot "$root" /usr/bin/env -u TMPDIR update-ca-certificates >/dev/null 2>&1 ||
	fail "the certificates of the root could not be updated"

# The variables that are passed on: settings of proxies, certificates and pip. The files they name move in the root.
environment=(HOME=/root LANG=C.UTF-8 "TERM=${TERM:-dumb}")
while IFS= read -r -d '' entry; do
	name=${entry%%=*} value=${entry#*=}
	case $name in
	*_proxy | *_PROXY | PIP_*) ;;
	SSL_CERT_FILE | GIT_SSL_CAINFO | CURL_CA_BUNDLE | REQUESTS_CA_BUNDLE) ;;
	*) continue ;;
	esac
	if [ -f "$value" ]; then
		mkdir -p "$root/etc/machine"
		cp -L "$value" "$root/etc/machine/$name"
		value=/etc/machine/$name
	fi
	environment+=("$name=$value")
done < <(env -0)

# Local folders that the settings name, in which git finds other repositories and pip finds wheels.
{
	git config --get-regexp '^url\..*\.(insteadof|pushinsteadof)$' | sed -E 's/^url\.(file:\/\/)?(.*)\.[a-z]+ .*/\2/' || true
	python3 -m pip config list 2>/dev/null | grep -E 'find-links|index-url' | grep -oE "(file://)?/[^' ,]+" |
		sed 's/^file:\/\///' || true
} | sort -u | while IFS= read -r path; do
	if [[ $path = /* ]] && [ -d "$path" ]; then bind "${path%/}" ro; fi
done

# The parent of the folder of the compiler's modules.
toolchain=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)\/lib\/swift".*/\1/p')
[ -x "$toolchain/bin/swift" ] || fail "the toolchain of $(command -v swift) is not found"
[ "$toolchain" != /usr ] || fail "swift is a part of this system, and cannot be bound into another"
bind "$toolchain" ro
mount -t proc proc "$root/proc"
for path in /dev /sys; do mount --rbind $path "$root$path"; done
mount --bind "$folder/archives" "$root/var/cache/apt/archives"
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true"; APT::Keep-Downloaded-Packages "true";' \
	>"$root/etc/apt/apt.conf.d/91keep"

git clone --quiet --no-hardlinks "$repository" "$root/root/apus"
git -C "$root/root/apus" checkout --quiet --detach "$(git -C "$repository" rev-parse HEAD)"
environment+=("PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
for command in "$@"; do
	echo "fresh.sh: $command"
	chroot "$root" /usr/bin/env -i "${environment[@]}" bash -c 'cd ~/apus && exec bash -c "$1"' - "$command" || {
		status=$?
		echo "fresh.sh: $command ended with $status" >&2
		exit $status
	}
done
echo "fresh.sh: done: $(git -C "$repository" describe --always HEAD)"
