#!/usr/bin/env bash
# Builds the archive, the wheel and the Debian packages of the current commit in two new clones, in folders of other
# names, with another mask of permissions and another time zone, and compares every byte.
#
#     Tests/Distribution/reproducible.sh
#
# It takes two builds from nothing.
set -euo pipefail
repository=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in one "the other"; do
	[ "$name" = one ] || { umask 077; export TZ=Asia/Tokyo; }
	git clone --quiet --no-hardlinks "$repository" "$work/$name"
	(
		cd "$work/$name"
		git checkout --quiet --detach "$(git -C "$repository" rev-parse HEAD)"
		# Without locked versions of packages the two builds could resolve others.
		[ ! -e "$repository/Package.resolved" ] || cp "$repository/Package.resolved" .
		make --no-print-directory wheel >build.log 2>&1 || { tail -20 build.log >&2; exit 1; }
		Sources/Doors/Distribution/debian.sh .build/dist packages >/dev/null
	)
done
status=0
for file in "$work/one"/.build/dist/*.tar.gz "$work/one"/.build/wheels/*.whl "$work/one"/packages/*.deb; do
	other=${file/"$work/one"/"$work/the other"}
	if cmp "$file" "$other"; then sha256sum "$file" | sed "s|$work/one/||"; else status=1; fi
done
[ $status = 0 ] && echo "reproducible.sh: two builds are equal"
exit $status
