#!/usr/bin/env bash
# Builds a folder, and an archive of it, to check and time a GPU on a machine that has only its driver:
#
#     Benchmarks/Devices/bundle.sh [FOLDER]
#
# The default FOLDER is .cache/gpu-bundle; the archive is written beside it. `run.sh` in it describes its arguments.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-.cache/gpu-bundle}
export APUS_WITHOUT_PLUGIN=1

build=(swift build -c release --static-swift-stdlib --scratch-path .build/static --product device-check)
"${build[@]}"

rm -rf "$folder"
mkdir -p "$folder"/{bin,lib,system,fixtures/models,fixtures/photos,fixtures/light}
cp "$("${build[@]}" --show-bin-path)/device-check" "$folder/bin/"
strip "$folder/bin/device-check"

# The C library and its loader are used where the system's C library is older.
loader=$(find -L /lib64 /lib -maxdepth 1 -name 'ld-linux-*.so.*' | head -n 1)
cp -L "$loader" "$folder/system/"
libraries=$(ldd "$folder/bin/device-check" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u)
# OpenCL's driver loader is opened at run time.
opencl=$(ldconfig -p | awk '/libOpenCL\.so\.1 / && !found { print $NF; found = 1 }')
for library in $libraries ${opencl:?libOpenCL.so.1 is missing: install ocl-icd-libopencl1}; do
    case $(basename "$library") in
    libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.* | libutil.so.*)
        cp -L "$library" "$folder/system/" ;;
    *) cp -L "$library" "$folder/lib/" ;;
    esac
done
strip --strip-unneeded "$folder"/lib/*

cp Tests/Fixtures/models/squeezenet1_1.* "$folder/fixtures/models/"
cp Tests/Fixtures/photos/*.{png,jpg} "$folder/fixtures/photos/"
light=.cache/onnx-1.20.1/light
if [ -d "$light" ]; then cp "$light"/light_*.{onnx,pb} "$folder/fixtures/light/"; fi
cp Benchmarks/Devices/run.sh Benchmarks/Devices/peers.py "$folder/"

tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
size=$(stat -c %s "$folder.tar.gz")
echo "$folder.tar.gz: $((size >> 20)) MiB"
if [ "$size" -gt $((64 << 20)) ]; then
    echo "bundle.sh: the archive is larger than 64 MiB" >&2
    exit 1
fi
