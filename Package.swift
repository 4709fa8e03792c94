// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "apus",
    products: [
        .library(name: "Apus", targets: ["Apus"]),
        .library(name: "Measuring", targets: ["Measuring"]),
        .library(name: "Quantizing", targets: ["Quantizing"]),
        .library(name: "Generation", targets: ["Generation"]),
        .executable(name: "apus", targets: ["apus-cli"]),
        // All objects of the C library, which `make dist` links.
        .library(name: "apus-objects", type: .static, targets: ["CInterface"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Its traits by default want streams of Foundation, which link ICU.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    ],
    targets: [
        // System libraries.
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // OpenCL's functions, found at run time: nothing is linked.
        .target(name: "COpenCL"),
        // OpenBLAS's functions, and libraries of pictures beyond JPEG and PNG, likewise.
        .target(name: "COpenBLAS"),
        .target(name: "CPictures"),

        // C kernels, and kernels in OpenCL C as text.
        .target(name: "CPUKernels", path: "Kernels/CPU"),
        .target(
            name: "OpenCLKernels", path: "Kernels/OpenCL",
            exclude: [
                "attention.cl", "common.cl", "convolution.cl", "copy.cl", "depthwise.cl", "dot.cl",
                "elementwise.cl", "gemm.cl", "integer_convolution.cl", "integer_depthwise.cl",
                "integer_elementwise.cl", "integer_gemm.cl", "integer_pooling.cl", "integer_product.cl",
                "integer_resize.cl", "integer_results.cl", "integer_rows.cl", "integer_tensor_tile.cl",
                "integer_tile.cl", "limits.cl", "nibbles.cl", "normalization.cl", "pack_words.cl", "parts.cl",
                "patches.cl", "pooling.cl", "product.cl", "quantization.cl", "reduction.cl", "resize.cl",
                "search.cl", "stages.cl", "staging.cl", "tensor.cl", "tensor_attention.cl", "tensor_tile.cl",
                "tile.cl", "walk.cl", "windows.cl", "winograd.cl",
            ]),

        // The modules, lowest first. Each declares all its imports; otherwise SwiftPM may not rebuild it when an
        // imported module changes.
        .target(name: "Caching"),
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(name: "Tensors"),
        .target(name: "Graphs", dependencies: ["Tensors"]),
        .target(name: "Features", dependencies: ["Tensors"]),
        .target(
            name: "Formats",
            dependencies: [
                "Features", "Graphs", "Tensors", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["ONNX/onnx.proto", "CoreML/coreml.proto", "CoreML/LAYERS.md"]),
        .target(name: "Planning", dependencies: ["Graphs", "Tensors"]),
        .target(
            name: "CPUBackend", dependencies: ["Graphs", "Planning", "Tensors", "COpenBLAS", "CPUKernels"]),
        .target(
            name: "OpenCLBackend",
            dependencies: ["Caching", "Graphs", "Planning", "Tensors", "COpenCL", "OpenCLKernels"],
            exclude: ["ASSEMBLY.md", "Matrices/TILES.md", "WORK.md"]),
        .target(name: "PNGReading", dependencies: ["CPNG"]),
        .target(
            name: "Images", dependencies: ["Tensors", "CPUKernels", "CPictures", "CTurboJPEG", "CZlib", "PNGReading"]),
        // The modules for users: files and threads, running a network, pictures, and data in and rows out. Beside them
        // are measuring, quantizing, and the generation of Swift types for models.
        .target(name: "CPipes"),
        .target(name: "Platform", dependencies: ["CPipes", "Tensors", "CZlib"]),
        .target(
            name: "Inference",
            dependencies: [
                "Caching", "CPUBackend", "Features", "Formats", "Graphs", "Images", "OpenCLBackend", "Planning",
                "Platform",
                "Tensors",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Vision",
            dependencies: [
                "Features", "Formats", "Graphs", "Images", "Inference", "Platform", "Tensors",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "Datasets", dependencies: ["Images", "Inference", "Platform", "Tensors", "Vision"]),
        .target(
            name: "Runs",
            dependencies: [
                "CPUBackend", "Datasets", "Images", "Inference", "Platform", "SQLite", "Tensors", "Vision",
            ]),
        .target(
            name: "Quantizing",
            dependencies: ["Datasets", "Graphs", "Images", "Inference", "Platform", "Runs", "Tensors", "Vision"]),
        .target(
            name: "Measuring",
            dependencies: [
                "CPUBackend", "Datasets", "Graphs", "Images", "Inference", "OpenCLBackend", "Planning", "Platform",
                "Quantizing", "Runs", "Tensors", "Vision", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Generation",
            dependencies: ["Features", "Graphs", "Inference", "Platform", "Tensors", "Vision"]),
        .target(
            name: "Apus",
            dependencies: [
                "Datasets", "Features", "Graphs", "Images", "Inference", "Platform", "Runs", "Tensors", "Vision",
            ]),
        // What the command and the C library share: options by name, and documents as JSON.
        .target(
            name: "Doors",
            dependencies: [
                "Apus", "Platform", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "apus-cli",
            dependencies: [
                "Apus", "Generation", "Measuring", "Doors", "Quantizing",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // The C library: its header, and the functions in Swift. make links them with the Swift runtime inside.
        .target(name: "CApus"),
        .target(
            name: "CInterface",
            dependencies: [
                "Apus", "CApus", "Measuring", "Doors",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Distribution"]),

        // The cases that tests and benchmarks of all backends share.
        .target(name: "ConformanceCases", dependencies: ["Graphs", "Tensors"], path: "Tests/ConformanceCases"),

        // Benchmarks. No test asserts a time.
        .executableTarget(name: "engine-benchmark", dependencies: ["Apus"], path: "Benchmarks/Engine"),
        .executableTarget(name: "profiling-benchmark", dependencies: ["Apus"], path: "Benchmarks/Profiling"),
        .executableTarget(
            name: "run-benchmark", dependencies: ["Apus"], path: "Benchmarks/Runs",
            exclude: ["compare.py", "search.py"]),
        .executableTarget(
            name: "device-check",
            dependencies: [
                "Apus", "ConformanceCases", "CPUBackend", "Formats", "Graphs", "Measuring", "OpenCLBackend", "Planning",
                "Tensors",
            ], path: "Benchmarks/Devices", exclude: ["bundle.sh", "peers.py", "run.sh"]),
        .executableTarget(
            name: "layer-benchmark",
            dependencies: ["Apus", "CPUBackend", "Graphs", "Measuring", "Planning", "Tensors"],
            path: "Benchmarks/Layers"),

        // Tests: a target per module, shared targets, and tests of all modules together.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Apus", "CPUBackend", "ConformanceCases", "Formats", "Graphs", "Images", "Measuring", "Planning",
                "Tensors",
            ],
            path: "Tests/Fuzzing/Targets"),
        .target(name: "AllocationCounting", path: "Tests/AllocationCounting"),
        .target(name: "SynchronizationFaults", path: "Tests/SynchronizationFaults"),
        .target(name: "OpenCLFaults", dependencies: ["COpenCL"], path: "Tests/OpenCLFaults"),
        .target(name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport"),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"]),
        .testTarget(name: "TensorsTests", dependencies: ["Tensors", "Graphs"]),
        .testTarget(name: "GraphsTests", dependencies: ["Graphs", "Tensors", "ConformanceCases"]),
        .testTarget(name: "FeaturesTests", dependencies: ["Features", "Tensors"]),
        .testTarget(
            name: "FormatsTests",
            dependencies: ["ConformanceCases", "Formats", "Graphs", "Tensors", "AllocationCounting"]),
        .testTarget(name: "ImagesTests", dependencies: ["Images", "Tensors"]),
        .testTarget(name: "PlanningTests", dependencies: ["Graphs", "Planning", "Tensors"]),
        .testTarget(
            name: "CPUBackendTests", dependencies: ["CPUBackend", "CPUKernels", "Graphs", "Planning", "Tensors"]),
        .testTarget(
            name: "OpenCLBackendTests",
            dependencies: [
                "Apus", "COpenCL", "ConformanceCases", "CPUBackend", "Graphs", "Measuring", "OpenCLBackend",
                "OpenCLFaults", "Planning", "Quantizing", "Tensors", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "Apus", "ConformanceCases", "CPUBackend", "Formats", "Graphs", "Measuring", "OpenCLBackend", "Planning",
                "Quantizing", "Tensors", "TestSupport",
            ],
            exclude: ["ONNX/exclusions.txt"]),
        .testTarget(name: "FuzzingTests", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Tests"),
        .testTarget(name: "CommandLineTests", dependencies: ["Apus"]),
        .target(name: "InterfaceCalls", dependencies: ["CApus"], path: "Tests/InterfaceCalls"),
        .testTarget(
            name: "CInterfaceTests",
            dependencies: ["Apus", "CApus", "CInterface", "Graphs", "InterfaceCalls", "TestSupport"]),
        // Code of the documentation at the top level of a script; a warning of the compiler is an error there.
        .executableTarget(
            name: "TopLevelExamples", dependencies: ["Apus"], path: "Tests/TopLevelExamples",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Apus", "Generation", "Graphs", "Measuring", "Quantizing", "Tensors", "TopLevelExamples",
            ]),
        .testTarget(
            name: "ApusTests",
            dependencies: [
                "Apus", "CPUBackend", "Formats", "Generation", "Graphs", "Images", "Measuring", "Planning", "Platform",
                "Quantizing", "SQLite",
                "Tensors", "AllocationCounting", "SynchronizationFaults",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The plugin that generates Swift types for the models of a target. SwiftPM builds a plugin's tool separately from
// everything else, so developers of this package leave the plugin out, as make does.
if Context.environment["APUS_WITHOUT_PLUGIN"] == nil {
    package.products.append(.plugin(name: "ApusModels", targets: ["ApusModels"]))
    package.targets.append(
        .plugin(name: "ApusModels", capability: .buildTool(), dependencies: ["apus-cli"]))
}

// This needs libFuzzer, which only `make fuzz` links.
if Context.environment["APUS_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Driver"))
}
