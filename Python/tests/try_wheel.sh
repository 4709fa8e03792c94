#!/bin/bash
# A data scientist's first minute: a new environment, the wheel, three lines, an answer. The same lines then run with
# every interpreter of this machine from 3.9 on, those without a global lock included.
#     try_wheel.sh WHEEL ENVIRONMENT MODELS PHOTOS
set -euo pipefail
wheel=$1 environment=$2 models=$3 photos=$4

# first_minute PYTHON [FOLDER]: whether the interpreter, with the packages of a folder, gives the right answer.
first_minute() {
	local answer
	answer=$(env -u APUS_LIBRARY "PYTHONPATH=${2-}" "$1" - "$models/squeezenet1_1.onnx" "$photos/coffee.png" <<'END'
import sys
import apus
print(apus.Classifier(sys.argv[1])(sys.argv[2]).label)
END
	)
	echo "$("$1" --version): $answer"
	[ "$answer" = espresso ]
}

rm -rf "$environment"
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
first_minute "$environment/bin/python"
"$environment/bin/pip" show --files apus-inference | grep licenses/swift.LICENSE

python3 -m zipfile -e "$wheel" "$environment/packages"
missing=()
for python in python3.{9..14} python3.{13,14}t; do
	if "$python" -c '' 2>/dev/null; then first_minute "$python" "$environment/packages"; else missing+=("$python"); fi
done
echo "not tried, because this machine does not have them: ${missing[*]}"
