#!/usr/bin/env bash
# Times Apus, beside others or alone, when make has built it and made the others' environment.
#
#     Benchmarks/run.sh TARGET [ARGUMENT...]
#
# TARGET is the name of the target of make, and a sentence about it stands above each. Variables are in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${CACHE:-.cache} target=$1
shift

case $target in
## time every layer of networks of the zoo against the processor's peak; NETWORKS, BATCH, THREADS
bench)
	for network in ${NETWORKS:-squeezenet1_1 resnet18 resnet50 inception_v1 inception_v3 mobilenet_v2}; do
		.build/release/layer-benchmark "zoo:$network" "${BATCH:-1}" "${THREADS:-1}"
	done
	;;
## time runs with and without a profiler; MODEL=zoo:resnet50
bench-profiling)
	.build/release/profiling-benchmark "${MODEL:-Tests/Fixtures/models/squeezenet1_1.onnx}" "${THREADS:-1}"
	;;
## compare the speed of Apus with onnxruntime, OpenVINO, ncnn and MNN; ARGUMENTS="--precision bf16"
bench-peers)
	python3 Benchmarks/Peers "$@"
	;;
## compare the speed of 8-bit networks with onnxruntime, OpenVINO and LiteRT
bench-integers)
	python3 Benchmarks/Peers --integers --output "$cache/bench-peers/results-integers" "$@"
	;;
## time every layer of networks beside onnxruntime, the slowest first; ARGUMENTS="--models exported/"
bench-shapes)
	"$cache/parity/bin/python" Benchmarks/Shapes "$@"
	;;
## compare batch runs with their parts, and with Pillow and onnxruntime; ARGUMENTS="--count 2000"
bench-runs)
	"$cache/run-peers/bin/python" Benchmarks/Runs/compare.py "$@"
	;;
## time the search in a million vectors beside NumPy; ARGUMENTS="--count 1000000"
bench-search)
	"$cache/run-peers/bin/python" Benchmarks/Runs/search.py --folder "$cache/bench-search" "$@"
	;;
## compare jobs of Ray and Spark with those of Pillow and onnxruntime; ARGUMENTS="--count 20000"
bench-clusters)
	"$cache/distributed/bin/python" Benchmarks/Clusters --distribution "$DISTRIBUTION" "$@"
	;;
*)
	echo "run.sh: there is no $target" >&2
	exit 1
	;;
esac
