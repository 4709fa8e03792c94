#!/usr/bin/env bash
# Uses a wheel in a new Debian that has Python and nothing else: no pip, no compiler, none of the libraries of Apus.
#
#     Python/tests/debian.sh [--keep] [--folder FOLDER] WHEEL
#
# The system and fetched packages are kept in FOLDER, by default .cache/fresh, for the next time, as Tests/Fresh keeps
# them. --keep leaves the root in FOLDER/root.
set -euo pipefail

repository=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
source "$repository/Tests/Fresh/root.sh"
packages=ca-certificates,python3
read_options "$@"
set -- "${arguments[@]}"
[ $# -gt 0 ] && [ -e "$1" ] || fail "a wheel of make wheel is needed"
enter_namespace "$@"
make_root

cp -r "$repository"/Tests/Fixtures/{models,photos} "$1" "$root/root/"
environment+=("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" PYTHONPATH=/root/packages)
cat >"$root/root/answer.py" <<'END'
import sys
import apus
answer = apus.Classifier("models/squeezenet1_1.onnx")("photos/coffee.png")
print(sys.version.split()[0], answer.label, [name for name in ("numpy", "PIL") if name in sys.modules])
assert answer.label == "espresso"
END
in_root /root "python3 -m zipfile -e $(basename "$1") packages && python3 answer.py"
