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
        // Kernels: C for processors, and OpenCL C as text.
        .target(name: "CPUKernels", path: "Kernels/CPU", exclude: ["README.md"]),
        .target(
            name: "OpenCLKernels", path: "Kernels/OpenCL",
            exclude: ["README.md", "attention", "elements", "images", "integers", "products"]),

        // The modules, lowest first. Each declares all its imports; otherwise SwiftPM may not rebuild it when an
        // imported module changes. Libraries that are found at run time are not linked: OpenCL, OpenBLAS, and those of
        // pictures beyond JPEG and PNG.

        // System
        .systemLibrary(
            name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "CBuild", path: "Sources/System/CBuild",
            cSettings: [
                .define("APUS_COMMIT", to: "\"\(Context.environment["APUS_COMMIT"] ?? "")\""),
                .define("APUS_TOOLCHAIN", to: "\"\(Context.environment["APUS_TOOLCHAIN"] ?? "")\""),
            ]),
        .target(name: "CPipes", path: "Sources/System/CPipes"),
        .target(name: "Caching", path: "Sources/System/Caching"),
        .target(name: "SQLite", dependencies: ["CSQLite"], path: "Sources/System/SQLite"),
        .target(name: "Platform", dependencies: ["CPipes", "CZlib"], path: "Sources/System/Platform"),

        // Networks
        .target(name: "Tensors", path: "Sources/Networks/Tensors"),
        .target(name: "NumPyFiles", dependencies: ["Platform", "Tensors"], path: "Sources/Networks/NumPyFiles"),
        .target(
            name: "Graphs", dependencies: ["Tensors"], path: "Sources/Networks/Graphs", exclude: ["README.md"]),
        .target(name: "Features", dependencies: ["Tensors"], path: "Sources/Networks/Features"),
        .target(
            name: "Formats",
            dependencies: [
                "Features", "Graphs", "Tensors", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            path: "Sources/Networks/Formats",
            exclude: ["README.md", "ONNX/onnx.proto", "CoreML/coreml.proto", "CoreML/LAYERS.md"]),

        // Pictures
        .systemLibrary(
            name: "CTurboJPEG", path: "Sources/Pictures/CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(
            name: "CPNG", path: "Sources/Pictures/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .target(name: "CPictures", path: "Sources/Pictures/CPictures"),
        .target(name: "PNGReading", dependencies: ["CPNG"], path: "Sources/Pictures/PNGReading"),
        .target(
            name: "Images",
            dependencies: ["Tensors", "CPUKernels", "CPictures", "CTurboJPEG", "CZlib", "PNGReading"],
            path: "Sources/Pictures/Images"),

        // Engine
        .target(name: "COpenBLAS", path: "Sources/Engine/COpenBLAS"),
        .target(name: "COpenCL", path: "Sources/Engine/COpenCL"),
        .target(
            name: "Planning", dependencies: ["Graphs", "Tensors"], path: "Sources/Engine/Planning",
            exclude: ["README.md"]),
        .target(
            name: "CPUBackend", dependencies: ["Graphs", "Planning", "Tensors", "COpenBLAS", "CPUKernels"],
            path: "Sources/Engine/CPUBackend", exclude: ["README.md"]),
        .target(
            name: "OpenCLBackend",
            dependencies: ["Caching", "Graphs", "Planning", "Tensors", "COpenCL", "OpenCLKernels"],
            path: "Sources/Engine/OpenCLBackend",
            exclude: ["README.md", "ASSEMBLY.md", "Matrices/TILES.md", "WORK.md"]),
        .target(
            name: "Models",
            dependencies: [
                "Features", "Formats", "Graphs", "Images", "NumPyFiles", "Planning", "Platform", "Tensors",
            ],
            path: "Sources/Engine/Models"),
        .target(
            name: "Inference",
            dependencies: [
                "Caching", "CPUBackend", "Formats", "Graphs", "Models",
                "OpenCLBackend", "Planning", "Platform", "Tensors", .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Engine/Inference"),

        // Data
        .target(
            name: "Preparation",
            dependencies: [
                "Graphs", "Images", "Inference", "Models", "Platform", "Tensors",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Data/Preparation"),
        .target(
            name: "Datasets",
            dependencies: ["Images", "Inference", "Models", "NumPyFiles", "Platform", "Preparation", "Tensors"],
            path: "Sources/Data/Datasets"),

        // Tasks
        .target(
            name: "Predicting",
            dependencies: [
                "Datasets", "Graphs", "Images", "Inference", "Models", "Platform", "Preparation", "SQLite", "Tensors",
            ],
            path: "Sources/Tasks/Predicting"),
        .target(
            name: "Vision",
            dependencies: [
                "Datasets", "Features", "Formats", "Graphs", "Images", "Inference", "Models", "NumPyFiles", "Platform",
                "Predicting", "Preparation", "SQLite", "Tensors",
            ],
            path: "Sources/Tasks/Vision"),

        // Runs
        .target(
            name: "Runs",
            dependencies: [
                "Datasets", "Images", "Inference", "Models", "NumPyFiles", "Platform", "Predicting", "Preparation",
                "SQLite",
                "Tensors", "Vision",
            ],
            path: "Sources/Runs/Runs"),
        .target(
            name: "Similarity",
            dependencies: [
                "CPUBackend", "Datasets", "Inference", "NumPyFiles", "Platform", "Predicting", "Runs", "SQLite",
                "Tensors",
                "Vision",
            ],
            path: "Sources/Runs/Similarity"),

        // Measuring
        .target(
            name: "Quantizing",
            dependencies: [
                "Datasets", "Graphs", "Images", "Inference", "Models", "Platform", "Preparation", "Runs", "Tensors",
                "Vision",
            ],
            path: "Sources/Measuring/Quantizing"),
        .target(
            name: "Measuring",
            dependencies: [
                "CPUBackend", "Datasets", "Graphs", "Images", "Inference", "Models", "OpenCLBackend", "Planning",
                "Platform",
                "Predicting", "Preparation", "Quantizing", "Runs", "Similarity", "Tensors", "Vision",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Measuring/Measuring"),

        // Doors. The C library's header is CApus; make links CInterface with the Swift runtime inside.
        .target(
            name: "Generation",
            dependencies: ["Features", "Graphs", "Models", "Platform", "Tensors", "Vision"],
            path: "Sources/Doors/Generation"),
        .target(
            name: "Apus",
            dependencies: [
                "Datasets", "Features", "Graphs", "Images", "Inference", "Models", "NumPyFiles", "Platform",
                "Predicting",
                "Preparation", "Runs", "Similarity", "Tensors", "Vision",
            ],
            path: "Sources/Doors/Apus"),
        .target(
            name: "SharedOptions",
            dependencies: [
                "Apus", "Platform", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Doors/Shared"),
        .executableTarget(
            name: "apus-cli",
            dependencies: [
                "Apus", "CBuild", "CPNG", "CSQLite", "CZlib", "Caching", "Generation", "Measuring", "Platform",
                "SharedOptions", "Quantizing", "Tensors",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Doors/Command"),
        .target(name: "CApus", path: "Sources/Doors/CApus"),
        .target(
            name: "CInterface",
            dependencies: [
                "Apus", "CApus", "Measuring", "SharedOptions",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Doors/CInterface", exclude: ["README.md"]),

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
        .target(
            name: "TestSupport", dependencies: ["Apus", "Formats", "Graphs", "Images", "Platform", "Tensors"],
            path: "Tests/TestSupport"),
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
        .testTarget(name: "CommandLineTests", dependencies: ["Apus", "TestSupport"]),
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
            name: "InferenceTests",
            dependencies: [
                "AllocationCounting", "Apus", "CPUBackend", "Formats", "Graphs", "Images", "Planning", "Quantizing",
                "Tensors", "TestSupport",
            ]),
        .testTarget(name: "DatasetsTests", dependencies: ["Apus", "TestSupport"]),
        .testTarget(
            name: "VisionTests",
            dependencies: ["Apus", "Graphs", "Images", "Measuring", "Platform", "SQLite", "Tensors", "TestSupport"]),
        .testTarget(
            name: "RunsTests",
            dependencies: [
                "Apus", "CPUBackend", "Graphs", "Planning", "Platform", "SQLite", "SynchronizationFaults",
                "TestSupport",
            ]),
        .testTarget(
            name: "MeasuringTests",
            dependencies: [
                "Apus", "CPUBackend", "Formats", "Graphs", "Images", "Measuring", "Planning", "Quantizing", "Tensors",
                "TestSupport",
            ]),
        .testTarget(name: "GenerationTests", dependencies: ["Apus", "Generation", "TestSupport"]),
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
