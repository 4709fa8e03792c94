import Apus
import CPUBackend
import Foundation
import OpenCLBackend
import Planning

/// Checks an OpenCL device against the reference, then times networks on it; meant for a machine with a GPU.
///
///     device-check [--device 0] [--networks squeezenet1_1,…] [--batches 1,8] [--precisions f32,tf32] [--seconds 3]
///         [--fixtures FOLDER] [--peers FILE] [--tuning FILE] [--only checks|table] [--share 0/8]
///     device-check --export FOLDER [--networks squeezenet1_1,…]
///
/// With a share I/N, every Nth case is run from case I on. With a tuning file, layers are tuned before they are timed.
/// The folder of fixtures holds `models/squeezenet1_1.onnx`, `photos`, and optionally ONNX's own `light` models. The
/// file of peers holds a line `ENGINE <tab> NETWORK <tab> BATCH <tab> MILLISECONDS` for each time of another engine, or
/// `ENGINE <tab> absent <tab> REASON`. The exit status is 1 when something differs, and 4 without a device.
@main
struct DeviceCheck {
    static func main() async {
        do {
            let arguments = try CheckArguments(CommandLine.arguments.dropFirst())
            if let folder = arguments.export {
                for name in arguments.networks { try Model(zoo: name).export(to: "\(folder)/\(name).onnx") }
                return
            }
            let devices: [OpenCLDevice]
            do {
                devices = try Catalog.openCLDevices.get()
            } catch {
                throw ApusError.backend(name: "opencl", message: "\(error)")
            }
            guard devices.indices.contains(arguments.device) else {
                let names = devices.enumerated().map { "\($0) \($1.name)" }.joined(separator: ", ")
                throw ApusError.backend(
                    name: "opencl", message: "there is no device \(arguments.device); there are \(names)")
            }
            let device = devices[arguments.device]
            print("device      \(device.information.description)")
            print("platform    \(device.information.platform)")
            let precisions = MatrixPrecision.allCases.filter { device.supports($0) }
            print("precisions  \(precisions.map(\.rawValue).joined(separator: ", "))")
            print("processor   \(CPUBackend().deviceDescription)\n")
            var failureCount = 0
            if arguments.part != .table {
                for precision in precisions {
                    failureCount += try DeviceCases(device, precision).run(arguments.share)
                }
                failureCount += try DeviceNetworks(device, fixtures: arguments.fixtures).run(arguments.networks)
                failureCount += try await DevicePhotos(arguments).run()
                print(failureCount == 0 ? "\nall checks passed\n" : "\n\(failureCount) checks failed\n")
            }
            if arguments.part != .checks { try await DeviceTable(arguments).run() }
            exit(failureCount == 0 ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("device-check: \(error)\n".utf8))
            exit(2)
        }
    }
}

/// The checks and times that the arguments ask for.
struct CheckArguments {
    enum Part: String {
        case all, checks, table
    }

    /// Every `count`th case from `index` on.
    struct Share {
        var index = 0
        var count = 1
    }

    var device = 0
    var networks = [
        "squeezenet1_1", "resnet18", "resnet50", "inception_v1", "inception_v3", "mobilenet_v2",
        "vit_b_16", "convnext_tiny",
    ]
    var batches = [1, 8, 64, 256]
    var precisions: [Precision] = [.f32, .tf32, .f16]
    var seconds = 3.0
    var fixtures = "Tests/Fixtures"
    var peers: String?
    var tuning: String?
    var export: String?
    var part = Part.all
    var share = Share()

    init(_ words: ArraySlice<String>) throws {
        var words = words
        while let option = words.popFirst() {
            guard let value = words.popFirst() else { throw ApusError.usage("\(option) needs a value") }
            let parts = value.split(separator: ",").map(String.init)
            switch option {
            case "--device": device = try Self.read(value, option)
            case "--networks": networks = parts
            case "--batches": batches = try parts.map { try Self.read($0, option) }
            case "--precisions": precisions = try parts.map { try Self.read($0, option) }
            case "--seconds": seconds = try Self.read(value, option)
            case "--fixtures": fixtures = value
            case "--peers": peers = value
            case "--tuning": tuning = value
            case "--export": export = value
            case "--share":
                let numbers = try value.split(separator: "/").map { try Self.read(String($0), option) as Int }
                guard numbers.count == 2, (0..<numbers[1]).contains(numbers[0]) else {
                    throw ApusError.usage("\(option) does not take \(value)")
                }
                share = Share(index: numbers[0], count: numbers[1])
            case "--only": part = try Self.read(value, option)
            default: throw ApusError.usage("there is no option \(option)")
            }
        }
    }

    private static func read<Value: LosslessStringConvertible>(_ text: String, _ option: String) throws -> Value {
        guard let value = Value(text) else { throw ApusError.usage("\(option) does not take \(text)") }
        return value
    }

    private static func read<Value: RawRepresentable<String>>(_ text: String, _ option: String) throws -> Value {
        guard let value = Value(rawValue: text) else { throw ApusError.usage("\(option) does not take \(text)") }
        return value
    }
}
