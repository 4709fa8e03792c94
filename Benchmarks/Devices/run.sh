#!/usr/bin/env bash
# Checks the OpenCL device of this machine against the reference, then prints the milliseconds of eight networks in
# float32 and on tensor cores, beside onnxruntime and PyTorch if this machine's Python has them:
#
#     ./run.sh [--device 0] [--networks squeezenet1_1,…] [--batches 1,8] [--precisions f32,tf32] [--seconds 3]
#         [--only checks|table]
#
# APUS_TUNING=no turns off tuning before timing. Programs and measured times are kept in `results`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/results"
export XDG_CACHE_HOME="$here/results/cache"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Containers often have NVIDIA's driver without the file that registers it.
if [ -z "$(ls /etc/OpenCL/vendors 2>/dev/null)" ] && [ -z "${OCL_ICD_VENDORS:-}" ]; then
    mkdir -p "$here/results/vendors"
    echo libnvidia-opencl.so.1 > "$here/results/vendors/nvidia.icd"
    export OCL_ICD_VENDORS="$here/results/vendors"
fi

# Uses the bundle's C library where the system's is too old.
mkdir -p "$here/results/networks"
check=("$here/bin/device-check")
if ! "${check[@]}" --export "$here/results/networks" --networks "" >/dev/null 2>&1; then
    libraries="$here/system:$LD_LIBRARY_PATH:/usr/lib/x86_64-linux-gnu:/usr/lib64"
    check=("$here"/system/ld-linux-* --library-path "$libraries" "$here/bin/device-check")
fi

networks=squeezenet1_1,resnet18,resnet50,inception_v1,inception_v3,mobilenet_v2,vit_b_16,convnext_tiny
batches=1,8,64,256
seconds=3
part=all
arguments=("$@")
while [ $# -gt 1 ]; do
    case $1 in
    --networks) networks=$2 ;;
    --batches) batches=$2 ;;
    --seconds) seconds=$2 ;;
    --only) part=$2 ;;
    esac
    shift 2
done

peers=$here/results/peers.tsv
: > "$peers"
if [ "$part" != checks ]; then
    if command -v python3 >/dev/null; then
        "${check[@]}" --export "$here/results/networks" --networks "$networks"
        # Python must not use the libraries of the bundle.
        env -u LD_LIBRARY_PATH python3 "$here/peers.py" "$here/results/networks" "$networks" "$batches" "$seconds" \
            >> "$peers" || echo "run.sh: peers could not be timed" >&2
    else
        printf 'onnxruntime\tabsent\tthere is no python3\nPyTorch\tabsent\tthere is no python3\n' >> "$peers"
    fi
fi
tuning=(--tuning "$here/results/tuning.json")
if [ "${APUS_TUNING:-yes}" = no ]; then tuning=(); fi
"${check[@]}" --fixtures "$here/fixtures" --peers "$peers" "${tuning[@]}" "${arguments[@]}"
