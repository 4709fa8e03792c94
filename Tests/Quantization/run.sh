#!/usr/bin/env bash
# Quantizes networks, and compares their answers with those of the float networks and of other tools' networks, with the
# command and the environments that make quantization makes.
#
#     [EFFICIENTNET=file.onnx] Tests/Quantization/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${CACHE:-.cache}

efficientnet=()
[ -z "${EFFICIENTNET:-}" ] || efficientnet=(--efficientnet "$EFFICIENTNET")

# compare ENVIRONMENT SCRIPT [OPTION...]
compare() { "$cache/$1/bin/python" "$2" .build/release/apus "$cache/quantization" "${@:3}"; }

compare parity Tests/Quantization
compare parity-products Tests/Quantization/products.py "${efficientnet[@]}"
compare quantizers Tests/Quantization/networks.py "${efficientnet[@]}"
