#!/usr/bin/env bash
# Writes the tests of a newer onnx, in an environment that is removed afterwards.
#
#     Tests/Fixtures/write_onnx_node_tests.sh OLDER_DATA/node FOLDER CALLER
#
# From version 1.21 on, the package generates its operator tests instead of containing them. CALLER is as for
# Tests/Environments/environment.sh.
set -euo pipefail
older=$1 folder=$2 caller=$3
here=$(dirname "$0")

trap 'rm -rf "$folder.environment" "$folder.part"' EXIT
"$here/../Environments/environment.sh" "$folder.environment" "$here/../Environments/onnx-1.23.2.txt" "$caller"
rm -rf "$folder" "$folder.part"
"$folder.environment/bin/python" "$here/write_onnx_node_tests.py" "$older" "$folder.part/newer"
mv "$folder.part" "$folder"
