#!/usr/bin/env bash
# Compares Apus with another engine or tool, when make has built Apus and made the other's environment.
#
#     Tests/Parity/run.sh TARGET
#
# TARGET is the name of the target of make, and a sentence about it stands above each. Variables are in the environment.
set -euo pipefail
cd "$(dirname "$0")/../.."
export APUS_WITHOUT_PLUGIN=1
cache=${CACHE:-.cache} apus=.build/release/apus target=$1

peer() { "$cache/$target/bin/python" "$@"; }
run_tests() { swift test -c release --skip-build --filter "$1"; }

case $target in
## export networks of the zoo, compare with onnxruntime and float64; NETWORKS=all for every one
parity)
	read -ra networks <<<"${NETWORKS:-}"
	peer Tests/Parity "${networks[@]}"
	;;
## compare random networks with onnxruntime; COUNT=100000 SEED=0 PRECISION=bfloat16 QUANTIZED=1
parity-random)
	# Networks are written a part at a time. Set APUS_FILL_ARENAS=1 to fill the memory of any run with NaN first.
	[ -d /dev/shm ] && files=/dev/shm/apus-random-networks || files=/tmp/apus-random-networks
	end=$((${SEED:=0} + ${COUNT:-2000}))
	for ((first = SEED; first < end; first += 5000)); do
		left=$((end - first))
		"$cache/parity/bin/python" Tests/Parity/random_networks.py $files --first $first \
			--count $((left < 5000 ? left : 5000)) ${QUANTIZED:+--quantized}
		APUS_RANDOM_FILES=$files APUS_RANDOM_PRECISION=${PRECISION:-} run_tests RandomNetworkTests/files
	done
	rm -r $files
	;;
## export torchvision's networks with coremltools, and compare with PyTorch; ONLY=vit,resnet18
parity-coreml)
	peer Tests/Parity/coreml_programs.py $apus ${ONLY:+--only "$ONLY"} 2>/dev/null
	;;
## export networks of torchvision and timm with PyTorch, and compare; ONLY=swin,vit EXPORTER=old
parity-modern)
	peer Tests/Parity/pytorch_networks.py ${ONLY:+--only "$ONLY"} ${EXPORTER:+--exporter "$EXPORTER"} 2>/dev/null
	;;
## compare networks of TensorFlow Lite with LiteRT's reference kernels; COUNT=50 inputs each
parity-tflite)
	peer Tests/Parity/tflite_networks.py $apus "$cache/mltk-0.20.0" ${COUNT:+--count "$COUNT"}
	;;
## write pictures of every kind with Pillow and others, and compare the pixels
parity-pictures)
	peer Tests/Fixtures/make_picture_fixtures.py --wide "$cache/pictures"
	APUS_PICTURES=$(readlink -f "$cache/pictures") run_tests ImagesTests.PictureKindTests
	;;
## compare the figures of apus evaluate with those of pycocotools, on random results
parity-evaluation)
	peer Tests/Fixtures/make_evaluation_fixtures.py --large "$cache/evaluation" --command $apus
	;;
## read results for other tools back with pycocotools, supervision and label-studio-sdk
parity-results)
	peer Tests/Parity/result_readers.py $apus
	;;
## compare reading text with RapidOCR on pictures of every kind; fetches its models and a font
parity-text)
	peer Tests/Parity/text_reading.py $apus "$cache/text"
	;;
## compare every other task with its reference pipeline; fetches gigabytes; ONLY=torchvision, PAGE=file.md
parity-tasks)
	# PAGE=Documentation/Apus.docc/Articles/AgreementOfTasks.md writes the table of the documentation.
	peer Tests/Parity/task_table.py ${PAGE:+--page "$PAGE"} $apus "$cache/tasks" "$cache/parity-faces/bin/python" \
		${ONLY:+"$ONLY"} 2>/dev/null
	;;
*)
	echo "run.sh: there is no $target" >&2
	exit 1
	;;
esac
