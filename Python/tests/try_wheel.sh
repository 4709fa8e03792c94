#!/bin/bash
# A data scientist's first minute: a new environment, the wheel, three lines, an answer.
#     try_wheel.sh WHEEL ENVIRONMENT MODELS PHOTOS
set -euo pipefail
wheel=$1 environment=$2 models=$3 photos=$4
rm -rf "$environment"
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
answer=$(env -u PYTHONPATH -u APUS_LIBRARY "$environment/bin/python" - "$models/squeezenet1_1.onnx" "$photos/coffee.png" <<'END'
import sys
import apus
print(apus.Classifier(sys.argv[1])(sys.argv[2]).label)
END
)
echo "$answer"
[ "$answer" = espresso ]
"$environment/bin/pip" show --files apus-inference | grep licenses/swift.LICENSE
