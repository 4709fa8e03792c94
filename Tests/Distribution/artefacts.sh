#!/usr/bin/env bash
# Tests each artefact of a release in a new Debian without Swift: it installs, predicts the four photos with the rows of
# ROWS, and uninstalls without a trace.
#
#     Tests/Distribution/artefacts.sh [--keep] [--folder FOLDER] RELEASE ROWS [PART...]
#
# ROWS is what `apus predict squeezenet1_1.onnx photos --top 1` of the same commit wrote. The parts are archive, debian,
# container and wheel; all by default. The system and fetched packages are kept in FOLDER, by default .cache/fresh.
set -euo pipefail

repository=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
source "$repository/Tests/Fresh/root.sh"
packages=ca-certificates,python3
read_options "$@"
set -- "${arguments[@]}"
[ $# -gt 1 ] && [ -e "$1/SHA256SUMS" ] && [ -e "$2" ] || fail "a folder of make release, and rows, are needed"
enter_namespace "$@"
make_root

place=$root/root/release
mkdir -p "$place"
cp "$1"/* "$place/"
cp "$2" "$root/root/rows.jsonl"
cp -r "$repository/Tests/Fixtures/photos" "$repository/Tests/Fixtures/models" "$root/root/"
cp "$repository/Tests/Distribution/artefact.sh" "$repository/Documentation/Apus.docc/Articles/UsingC.md" "$root/root/"
environment+=("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" DEBIAN_FRONTEND=noninteractive)
shift 2
[ $# -gt 0 ] || set -- archive debian container wheel
in_root /root "cd release && sha256sum --quiet --check SHA256SUMS" "apt-get update -qq"
for part in "$@"; do in_root /root "bash artefact.sh $part"; done
echo "artefacts.sh: every artefact installs, predicts and goes: $*"
