#!/usr/bin/env bash
# Makes a release of the current commit in one folder, by default .build/release-VERSION:
#
#     Sources/Doors/Distribution/release.sh [FOLDER]
#
#     apus-VERSION-linux-ARCHITECTURE.tar.gz     the command, the C library, headers, licences, manual, completions
#     apus_*.deb libapus0_*.deb libapus-dev_*.deb python3-apus_*.deb
#     apus_inference-*.whl                       the Python package with the library inside
#     Package.resolved                           the versions of the packages of Swift
#     Containerfile                              the command in a container, from the package beside it
#     apus-VERSION-documentation.tar.gz          the documentation as static pages
#     apus-VERSION.spdx.json                     all that is linked or bundled, with versions
#     RELEASE-NOTES.md                           the section of the changelog
#     SHA256SUMS                                 checksums of all of these
#
# The commit has the tag vVERSION, and nothing is changed or untracked; UNTAGGED=1 makes a trial of any commit. What it
# needs was built before: `make release` does so. On AArch64 it needs Swift's static runtime for that processor
# (swift_static in the toolchain's lib), and otherwise nothing else.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/../../.."
version=$(sed -n 's/.*let current = "\(.*\)"/\1/p' Sources/Engine/Models/Version.swift)
folder=${1:-.build/release-$version}
distribution=.build/dist/apus-$version-linux-$(uname -m)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C

fail() { echo "release.sh: $*" >&2; exit 1; }

if [ -z "${UNTAGGED:-}" ]; then
	[ "$(git rev-parse "v$version^{commit}" 2>/dev/null)" = "$(git rev-parse HEAD)" ] ||
		fail "the tag v$version is not at this commit; UNTAGGED=1 makes a trial"
	[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
fi
notes=$(awk -v version="$version" '/^## / { on = $2 == version } on' CHANGELOG.md)
[ -n "$notes" ] || fail "CHANGELOG.md has no section for $version"
[ -n "${UNTAGGED:-}" ] || [[ $notes != *"(unreleased)"* ]] || fail "CHANGELOG.md calls $version unreleased"
[ -e "$distribution.tar.gz" ] || fail "make dist has not built $distribution.tar.gz"
grep -q "\"commit $(git rev-parse HEAD)\"" "$distribution/share/doc/apus/apus.spdx.json" || [ -n "${UNTAGGED:-}" ] ||
	fail "$distribution.tar.gz is not of this commit: make clean, and make release again"

rm -rf "$folder"
mkdir -p "$folder"
cp "$distribution.tar.gz" "$folder/"
"$here/debian.sh" .build/dist "$folder" >/dev/null
cp .build/wheels/*.whl "$folder/"
cp "$here/Containerfile" Package.resolved "$folder/"
tar -C .build --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX \
	--format=gnu -cf - documentation | gzip -9n >"$folder/apus-$version-documentation.tar.gz"
cp "$distribution/share/doc/apus/apus.spdx.json" "$folder/apus-$version.spdx.json"
echo "$notes" >"$folder/RELEASE-NOTES.md"
(cd "$folder" && sha256sum -- * >SHA256SUMS)
cat "$folder/SHA256SUMS"
echo "release.sh: $folder"
