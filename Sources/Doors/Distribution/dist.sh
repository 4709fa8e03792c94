#!/usr/bin/env bash
# Builds the C library and the command with everything that they need inside, and packs them:
#
#     Sources/Doors/Distribution/dist.sh [FOLDER]
#
# FOLDER, by default .build/dist, gets apus-VERSION-linux-ARCHITECTURE.tar.gz with include, lib, bin and share, and
# beside it symbols/libapus.so.0.debug, the names of the library's functions for tools that look into a process, and
# system/, the library and the command for a system whose packages bring their libraries.
# The Swift runtime and the C++ library are linked into each. libturbojpeg, libpng and SQLite lie in lib/apus under
# names of their own, so that they do not meet other versions of them in one process. The programs need glibc 2.34,
# libgcc and zlib, which every Linux has. SwiftPM links the runtime into executables only, so this script links the
# library.
# The same commit, Package.resolved, compiler and system give the same bytes in every folder: paths of the sources are
# replaced, and files in the archive have the time of the commit, or that of SOURCE_DATE_EPOCH. A commit with changes
# that are not committed is called dirty.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/../../.."
folder=${1:-.build/dist}
work=.build/dist
version=$(sed -n 's/.*let current = "\(.*\)"/\1/p' Sources/Engine/Models/Version.swift)
name=apus-$version-linux-$(uname -m)
package=$folder/$name
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export APUS_COMMIT APUS_TOOLCHAIN LC_ALL=C
APUS_COMMIT=$(git describe --always --abbrev=40 --exclude="*" --dirty=-dirty)
APUS_TOOLCHAIN=$(swift --version 2>/dev/null | sed -n 's/.*(\(swift-[^)]*\)).*/\1/p' | head -1)
bundled=(libturbojpeg.so.0 libpng16.so.16 libsqlite3.so.0)

for tool in patchelf strip objcopy gcc python3; do
	command -v $tool >/dev/null || {
		echo "dist.sh: there is no $tool: apt-get install patchelf binutils gcc python3" >&2
		exit 1
	}
done
# After a failure nothing of an earlier build counts as this one.
rm -rf "$package" "$package.tar.gz" "$folder/system"

build() {
	APUS_WITHOUT_PLUGIN=1 swift build -c release -debug-info-format none -Xswiftc -disable-cmo --static-swift-stdlib \
		-Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." \
		--scratch-path "$work" -Xlinker -L"$PWD/$work/static" -Xlinker "$PWD/$work/static/old_glibc.o" \
		-Xlinker --no-export-dynamic --product "$1"
}
# A folder in which the linker finds the C++ library to link in.
mkdir -p "$work/static"
ln -sf "$(gcc -print-file-name=libstdc++.a)" "$work/static/libstdc++.a"
for source in old_glibc backtraces; do gcc -O2 -fPIC "-ffile-prefix-map=$PWD=." -c "$here/$source.c" -o "$work/static/$source.o"; done
# An archive that is there keeps the objects of sources that are gone.
rm -f "$work/release/libapus-objects.a"
build apus-objects
build apus

# The functions of the header, and nothing else, are visible.
{
	echo "{ global:"
	grep -oE '\bapus_[a-z0-9_]+\(' Sources/Doors/CApus/include/apus.h | tr -d '(' | sort -u | sed 's/$/;/'
	echo "local: *; };"
} >"$work/apus.map"

# Swift's linker hides what comes from archives, so the objects are joined first. The library is never unloaded, since
# threads of Swift's runtime would go on in its place.
"$toolchain/bin/ld.lld" -r --whole-archive "$work/release/libapus-objects.a" -o "$work/apus.o"
mkdir -p "$package"/{bin,include,lib/apus,lib/pkgconfig,lib/cmake/apus,share/doc/apus} "$folder/system"
swiftc -emit-library -static-stdlib -use-ld=lld -L "$work/static" -o "$package/lib/libapus.so.0" "$work/apus.o" \
	"$work/static/backtraces.o" "$work/static/old_glibc.o" -lpng16 -lz -Xlinker --version-script="$work/apus.map" \
	-Xlinker -soname=libapus.so.0 -Xlinker --gc-sections -Xlinker --no-undefined -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker nodelete
ln -s libapus.so.0 "$package/lib/libapus.so"
cp "$work/release/apus" "$package/bin/apus"
mkdir -p "$folder/symbols"
objcopy --only-keep-debug "$package/lib/libapus.so.0" "$folder/symbols/libapus.so.0.debug"
strip "$package/lib/libapus.so.0" "$package/bin/apus"
objcopy --add-gnu-debuglink="$folder/symbols/libapus.so.0.debug" "$package/lib/libapus.so.0"
for file in "$package/lib/libapus.so.0" "$package/bin/apus"; do
	cp "$file" "$folder/system/"
	patchelf --remove-rpath "$folder/system/$(basename "$file")"
done

# The libraries inside, under names of their own.
for library in "${bundled[@]}"; do
	own=${library/.so/-apus.so}
	path=$(ldd "$package/lib/libapus.so.0" | awk -v library="$library" '$1 == library { print $3 }')
	[ -n "$path" ] || { echo "dist.sh: the C library does not need $library any more" >&2; exit 1; }
	cp -L "$path" "$package/lib/apus/$own"
	patchelf --set-soname "$own" --set-rpath '$ORIGIN' "$package/lib/apus/$own"
	patchelf --replace-needed "$library" "$own" "$package/lib/libapus.so.0"
	patchelf --replace-needed "$library" "$own" "$package/bin/apus"
	owner=$(dpkg-query -S "$(readlink -f "$path")" 2>/dev/null | cut -d: -f1 | head -1) || true
	cp "/usr/share/doc/${owner:?"no Debian package has $path"}/copyright" "$package/share/doc/apus/$owner.copyright"
done
patchelf --set-rpath '$ORIGIN/apus' "$package/lib/libapus.so.0"
patchelf --set-rpath '$ORIGIN/../lib/apus' "$package/bin/apus"

cp Sources/Doors/CApus/include/apus.h "$package/include/"
sed "s/@VERSION@/$version/" "$here/apus.pc.in" >"$package/lib/pkgconfig/apus.pc"
sed "s/@VERSION@/$version/" "$here/apusConfig.cmake.in" >"$package/lib/cmake/apus/apusConfig.cmake"
sed "s/@VERSION@/$version/" "$here/apusConfigVersion.cmake.in" >"$package/lib/cmake/apus/apusConfigVersion.cmake"
cp LICENSE "$package/share/doc/apus/LICENSE"
cp "$toolchain/share/swift/LICENSE.txt" "$package/share/doc/apus/swift.LICENSE"
for checkout in "$work"/checkouts/*/; do
	cp "$checkout/LICENSE.txt" "$package/share/doc/apus/$(basename "$checkout").LICENSE"
	[ ! -e "$checkout/NOTICE.txt" ] || cp "$checkout/NOTICE.txt" "$package/share/doc/apus/$(basename "$checkout").NOTICE"
done
cp /usr/share/doc/libstdc++6/copyright "$package/share/doc/apus/libstdc++.copyright" 2>/dev/null ||
	cp "/usr/share/doc/gcc-$(gcc -dumpversion)-base/copyright" "$package/share/doc/apus/libstdc++.copyright"

# The command's pages of the manual, the completions of shells, and what `apus demo` predicts.
"$package/bin/apus" --experimental-dump-help >"$work/help.json"
python3 "$here/manual.py" "$work/help.json" "$package/share/man/man1" "$version" "$SOURCE_DATE_EPOCH"
completions() {
	mkdir -p "$package/share/$2"
	"$package/bin/apus" --generate-completion-script "$1" >"$package/share/$2/$3"
}
completions bash bash-completion/completions apus
completions zsh zsh/site-functions _apus
completions fish fish/vendor_completions.d apus.fish
mkdir -p "$package/share/apus/demo/photos" "$package/share/apus/recipes"
cp Documentation/Recipes/*.recipe.json "$package/share/apus/recipes/"
cp Tests/Fixtures/models/squeezenet1_1.* "$package/share/apus/demo/"
cp Tests/Fixtures/photos/*.* "$package/share/apus/demo/photos/"
cp CHANGELOG.md "$here/demonstration.copyright" "$package/share/doc/apus/"
python3 "$here/bill_of_materials.py" "$version" "$SOURCE_DATE_EPOCH" "$APUS_COMMIT" \
	>"$package/share/doc/apus/apus.spdx.json"
"$here/file_list.sh" "$package" >"$work/files.txt"
mv "$work/files.txt" "$package/share/apus/files.txt"

# The permissions of a checkout depend on who made it.
chmod -R u=rwX,go=rX "$package"
tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
	-cf - "$name" | gzip -9n >"$package.tar.gz"
ls -l "$package.tar.gz" "$package/lib/libapus.so.0"
