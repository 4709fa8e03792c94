#!/usr/bin/env bash
# Installs those of the given packages of Debian that are missing, with sudo unless root.
#
#     Tests/Environments/debian.sh PACKAGE...
set -euo pipefail

missing=()
for package in "$@"; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
echo "Installing from Debian: ${missing[*]}"
root=()
[ "$(id -u)" = 0 ] || root=(sudo)
"${root[@]}" apt-get update -qq
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
