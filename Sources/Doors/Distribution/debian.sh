#!/usr/bin/env bash
# Makes Debian packages of what dist.sh built: apus, libapus0, libapus-dev and python3-apus.
#
#     Sources/Doors/Distribution/debian.sh FOLDER OUTPUT
#
# FOLDER is that of dist.sh, by default .build/dist. The packages link libturbojpeg, libpng and SQLite of the system, so
# that its security updates reach Apus; Swift's runtime and the C++ library are linked in, since Debian has no package
# of that runtime. The maintainer is DEBFULLNAME and DEBEMAIL, or the author of the commit. Needs dpkg-dev.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/../../.."
folder=$(readlink -f "${1:-.build/dist}")
output=${2:-.build/dist}
version=$(sed -n 's/.*let current = "\(.*\)"/\1/p' Sources/Engine/Models/Version.swift)
distribution=$folder/apus-$version-linux-$(uname -m)
full=$version-1
architecture=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"

# place PACKAGE MODE SOURCE TARGET: a file of a package.
place() { install -D -m "$2" "$3" "$work/$1/$4"; }

# The changelog of the packages, beside that of Apus.
printf '%s\n' "apus ($full) unstable; urgency=medium" "" "  * Release $version." "" \
	" -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$work/changelog.Debian.gz"
gzip -9nc CHANGELOG.md >"$work/changelog.gz"

# A text as the lines that go on a field.
field() { sed 's/^[[:space:]]*$/./; s/^/ /'; }

# A licence that is the one of Apus with an exception is said by its exception.
{
	printf '%s\n' "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/" "Upstream-Name: apus" "" \
		"Files: *" "Copyright: the authors of Apus" "License: Apache-2.0" \
		"Comment: Parts of other works are linked in, under the Apache License 2.0 but for the last."
	for licence in "$distribution"/share/doc/apus/{swift,swift-*}.{LICENSE,NOTICE}; do
		[ -e "$licence" ] || continue
		name=$(basename "$licence")
		echo " ${name%.*}:"
		case $licence in *.NOTICE) field <"$licence" ;; *) sed -n '/Runtime Library Exception/,$p' "$licence" | field ;; esac
	done
	echo " The C++ library of GCC:"
	field <"$distribution/share/doc/apus/libstdc++.copyright"
	printf '%s\n' "" "Files: usr/share/apus/demo/squeezenet1_1.*" \
		"Copyright: 2019 Primoz Godec" "           2025 Illia Volkov, Nikita Kisel" "License: MIT" "" \
		"Files: usr/share/apus/demo/photos/*" "Copyright: none" "License: CC0-1.0-and-public-domain" \
		" The photos astronaut.png and rocket.jpg are in the public domain. The dedication" \
		" CC0 1.0 of the others is in /usr/share/common-licenses/CC0-1.0." "" \
		"License: Apache-2.0" " On Debian systems the text of the Apache License 2.0 is in" \
		" /usr/share/common-licenses/Apache-2.0." "" "License: MIT"
	sed -n '/^Permission is hereby/,/^SOFTWARE\./p' "$here/demonstration.copyright" | field
} >"$work/copyright"

# The command.
place apus 755 "$folder/system/apus" usr/bin/apus
for file in "$distribution"/share/man/man1/*.1; do
	place apus 644 "$file" "usr/share/man/man1/$(basename "$file")"
	gzip -9n "$work/apus/usr/share/man/man1/$(basename "$file")"
done
place apus 644 <(sed '1{/^#!/d}' "$distribution/share/bash-completion/completions/apus") \
	usr/share/bash-completion/completions/apus
place apus 644 "$distribution/share/zsh/site-functions/_apus" usr/share/zsh/vendor-completions/_apus
place apus 644 "$distribution/share/fish/vendor_completions.d/apus.fish" usr/share/fish/vendor_completions.d/apus.fish
for file in "$distribution"/share/apus/{recipes,demo,demo/photos}/*.*; do
	place apus 644 "$file" "usr/${file#"$distribution/"}"
done

# The library.
place libapus0 644 "$folder/system/libapus.so.0" "usr/lib/$triplet/libapus.so.0"
place libapus-dev 644 "$distribution/include/apus.h" usr/include/apus.h
ln -s libapus.so.0 "$(mkdir -p "$work/libapus-dev/usr/lib/$triplet" && echo "$work/libapus-dev/usr/lib/$triplet/libapus.so")"
for file in pkgconfig/apus.pc cmake/apus/apusConfig.cmake cmake/apus/apusConfigVersion.cmake; do
	place libapus-dev 644 "$distribution/lib/$file" "usr/lib/$triplet/$file"
done
# The files lie one folder deeper than in the archive.
sed -i "s|\${pcfiledir}/../..|\${pcfiledir}/../../..|; s|{prefix}/lib\$|{prefix}/lib/$triplet|" \
	"$work/libapus-dev/usr/lib/$triplet/pkgconfig/apus.pc"
sed -i "s|apus_prefix}/../../..|apus_prefix}/../../../..|; s|/lib/libapus|/lib/$triplet/libapus|" \
	"$work/libapus-dev/usr/lib/$triplet/cmake/apus/apusConfig.cmake"

# Python.
for file in Python/apus/*.py Python/apus/py.typed; do
	place python3-apus 644 "$file" "usr/lib/python3/dist-packages/apus/$(basename "$file")"
done

# The dependencies on libraries of the system, by their symbols.
dependencies() {
	mkdir -p "$work/shlibs/debian"
	cp "$here/debian/control" "$work/shlibs/debian/control"
	# Ubuntu has libturbojpeg0 by the name libturbojpeg.
	(cd "$work/shlibs" && dpkg-shlibdeps -O "$1") |
		sed -E 's/^shlibs:Depends=//; s/libturbojpeg0( \([^)]*\))?/& | libturbojpeg\1/'
}

# installed_size FOLDER: KiB, a folder as one, whatever the file system makes of them.
installed_size() {
	find "$1" -printf '%y %s\n' | awk '$1 == "f" { n += int(($2 + 1023) / 1024); next } { n++ } END { print n }'
}

# make PACKAGE: the control files, and the package.
make() {
	local name=$1 root=$work/$1 needed=
	case $name in
	apus) needed=$(dependencies "$root/usr/bin/apus") ;;
	libapus0)
		needed=$(dependencies "$root/usr/lib/$triplet/libapus.so.0")
		mkdir -p "$root/DEBIAN"
		echo "libapus 0 libapus0 (>= $version)" >"$root/DEBIAN/shlibs"
		echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
		;;
	python3-apus)
		mkdir -p "$root/DEBIAN"
		# The compiled modules are made when the package is set up, and go with it.
		printf '%s\n' '#!/bin/sh' 'set -e' 'if command -v py3compile >/dev/null; then py3compile -p python3-apus; fi' \
			>"$root/DEBIAN/postinst"
		printf '%s\n' '#!/bin/sh' 'set -e' 'if command -v py3clean >/dev/null; then py3clean -p python3-apus; fi' \
			>"$root/DEBIAN/prerm"
		chmod 755 "$root"/DEBIAN/{postinst,prerm}
		;;
	esac
	place "$name" 644 "$work/copyright" "usr/share/doc/$name/copyright"
	place "$name" 644 "$work/changelog.Debian.gz" "usr/share/doc/$name/changelog.Debian.gz"
	place "$name" 644 "$work/changelog.gz" "usr/share/doc/$name/changelog.gz"
	# No bug of Debian asks for the package.
	place "$name" 644 <(echo "$name: initial-upload-closes-no-bugs") "usr/share/lintian/overrides/$name"
	if [ "$name" = apus ]; then
		mkdir -p "$root/usr/share/apus"
		: >"$root/usr/share/apus/files.txt"
		# Small systems leave out documents, which nothing needs.
		cp -r "$root/usr" "$work/listed"
		rm -r "$work"/listed/share/{doc,man,lintian,apus/files.txt}
		"$here/file_list.sh" "$work/listed" >"$root/usr/share/apus/files.txt"
	fi
	mkdir -p "$root/DEBIAN"
	(cd "$root" && find usr -type f -printf '%P\n' | sort | sed 's|^|usr/|' | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
	# The section and the priority of the source hold for packages that name none.
	awk -v name="$name" -v version="$full" -v maintainer="$maintainer" -v architecture="$architecture" \
		-v needed="$needed" -v size="$(installed_size "$root/usr")" '
		BEGIN { RS = ""; FS = "\n" }
		NR == 1 {
			for (i = 1; i <= NF; i++) if ($i ~ /^Section:/) section = $i; else if ($i ~ /^Priority:/) priority = $i
			next
		}
		$1 == "Package: " name {
			print $1; print "Version: " version; print "Source: apus"; print "Maintainer: " maintainer
			print "Installed-Size: " size
			for (i = 2; i <= NF; i++) if ($i ~ /^Section:/) section = ""
			if (section != "") print section
			print priority
			for (i = 2; i <= NF; i++) {
				gsub(/\$\{shlibs:Depends\}/, needed, $i)
				gsub(/\$\{binary:Version\}/, version, $i)
				if ($i == "Architecture: any") $i = "Architecture: " architecture
				print $i
			}
		}' "$here/debian/control" | grep -v "^Source: $name\$" >"$root/DEBIAN/control"
	chmod -R u=rwX,go=rX "$root"
	find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --build --root-owner-group -Zxz "$root" "$output" >/dev/null
}

rm -f "$output"/{apus,libapus0,libapus-dev,python3-apus}_*.deb
for package in apus libapus0 libapus-dev python3-apus; do make "$package"; done
ls -l "$output"/*.deb
