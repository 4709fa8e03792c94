# What makes a new Debian system in a folder and runs commands in it, for scripts that source this. They set
#
#     repository  the project's folder
#     packages    the packages of the system beside the smallest ones, with commas between
#
# and then call read_options "$@", enter_namespace with the arguments that are left, make_root and in_root. Errors begin
# with the script's name.
suite=bookworm

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# read_options ARGUMENT...: reads --keep, to leave the root, and --folder FOLDER, where debootstrap's system and fetched
# packages are kept for the next time; root=$folder/root is made. What follows them is in $arguments.
read_options() {
	folder=$repository/.cache/fresh
	keep=
	while [ $# -gt 0 ]; do
		case $1 in
		--keep) keep=yes; shift ;;
		--folder) [ $# -gt 1 ] || fail "--folder needs a folder"; folder=$2; shift 2 ;;
		--*) fail "there is no option $1" ;;
		*) break ;;
		esac
	done
	arguments=("$@")
}

# enter_namespace ARGUMENT...: goes on in a mount namespace, with the arguments, and by sudo unless root. All mounts end
# with it, however the script ends. Returns only in the namespace.
enter_namespace() {
	[ "$(id -u)" = 0 ] || exec sudo --preserve-env env "PATH=$PATH" \
		"$(readlink -f "$0")" ${keep:+--keep} --folder "$folder" "$@"
	command -v debootstrap >/dev/null || fail "there is no debootstrap: apt-get install debootstrap"
	mkdir -p "$folder/archives/partial"
	folder=$(readlink -f "$folder")
	root=$folder/root
	[ "${APUS_FRESH_NAMESPACE:-}" != yes ] || return 0
	[ -e "$root" ] && rm -rf --one-file-system "$root"
	local status=0
	APUS_FRESH_NAMESPACE=yes unshare --mount --propagation private --pid --fork --kill-child \
		"$(readlink -f "$0")" --folder "$folder" "$@" || status=$?
	[ -n "$keep" ] && echo "$(basename "$0"): the root is kept in $root" || rm -rf --one-file-system "$root"
	exit $status
}

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

# make_root: the system, with the settings of apt, git and pip of this machine, and local folders that they name. The
# variables that commands in it get are in the array environment.
make_root() {
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

	mount -t proc proc "$root/proc"
	for path in /dev /sys; do mount --rbind $path "$root$path"; done
	mount --bind "$folder/archives" "$root/var/cache/apt/archives"
	echo 'Binary::apt::APT::Keep-Downloaded-Packages "true"; APT::Keep-Downloaded-Packages "true";' \
		>"$root/etc/apt/apt.conf.d/91keep"
}

# in_root FOLDER COMMAND...: runs commands of bash one after another in a folder of the root, until one fails.
in_root() {
	local place=$1 command
	shift
	for command in "$@"; do
		echo "$(basename "$0"): $command"
		chroot "$root" /usr/bin/env -i "${environment[@]}" bash -c 'cd "$1" && exec bash -c "$2"' - "$place" "$command" || {
			status=$?
			echo "$(basename "$0"): $command ended with $status" >&2
			exit $status
		}
	done
}
