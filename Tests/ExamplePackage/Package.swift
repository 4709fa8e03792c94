// swift-tools-version: 6.2
import PackageDescription

// A stranger's package: a program that uses the types which the plugin writes for its models, and the port of a small
// classifier from Core ML and Vision.
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
