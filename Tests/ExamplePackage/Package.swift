// swift-tools-version: 6.2
import PackageDescription

// A package that depends on Apus: a program that uses the types that the plugin generates for its models, and a small
// classifier ported from Core ML and Vision.
let package = Package(
    name: "example",
    dependencies: [.package(name: "apus", path: "../..")],
    targets: [
        .executableTarget(
            name: "Example", dependencies: [.product(name: "Apus", package: "apus")],
            resources: [.process("Models")],
            plugins: [.plugin(name: "ApusModels", package: "apus")]),
        .executableTarget(name: "PortedClassifier", dependencies: [.product(name: "Apus", package: "apus")]),
    ],
    swiftLanguageModes: [.v6]
)
