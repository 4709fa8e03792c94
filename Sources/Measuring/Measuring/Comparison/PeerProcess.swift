import FoundationEssentials
import Platform
import Tensors

/// Another engine in a process of its own, which is stopped while it has no request.
final class PeerProcess: Sendable {
    /// Why an engine cannot go on.
    struct Failure: Error {
        let message: String
    }

    private let process: ChildProcess
    private let folder: URL

    /// The time after which a request has failed, beside that which was asked for: loading may compile a network.
    private static let patience = Duration.seconds(300)
    private static let maximumLineCount = 16 << 20

    /// Starts Python.
    ///
    /// - Parameters:
    ///   - model: The path of a file that the engine reads.
    ///   - folder: An empty folder, for inputs and outputs.
    init(_ peer: Peer, model: String, folder: URL, inputs: [(name: String, tensor: Tensor)], threads: Int) throws {
        self.folder = folder
        var entries: [InputEntry] = []
        for (index, input) in inputs.enumerated() {
            guard let type = Self.typeName(input.tensor.elementType) else {
                let kind = "\(input.name.printable) is \(input.tensor.elementType)"
                throw Failure(message: "the input \(kind), which is not handed to other engines")
            }
            let tensor = try input.tensor.contiguous()
            let content = Data(bytes: tensor.firstElement, count: tensor.elementCount * tensor.elementType.byteCount)
            withExtendedLifetime(tensor) {}
            try content.write(to: folder.appending(path: "input-\(index)"))
            entries.append(InputEntry(name: input.name, file: "input-\(index)", type: type, shape: tensor.shape))
        }
        try JSONEncoder().encode(entries).write(to: folder.appending(path: "inputs.json"))
        do throws(ChildProcess.Failure) {
            process = try ChildProcess(
                [
                    peer.python, "-c", Peer.script, peer.engine.rawValue, model, folder.path, "\(threads)",
                    peer.precision ?? "",
                ], takesInput: true)
        } catch {
            throw Failure(message: error.message)
        }
    }

    /// Loads the model, and runs it once.
    func load() throws -> Loaded { try ask("load") }

    /// Runs for some time.
    func time(seconds: Double) throws -> Timed { try ask("time \(seconds)", taking: seconds) }

    /// The outputs of the inputs, in the engine's order.
    func outputs() throws -> [(name: String, numbers: [Double])] {
        let answer: Outputs = try ask("output")
        return try answer.outputs.map { output in
            let content = try Data(contentsOf: folder.appending(path: output.file))
            return (output.name, content.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) })
        }
    }

    struct Loaded: Decodable {
        let version: String
        let loadSeconds: Double
        let firstRunSeconds: Double
        let idleBytes: Int
    }

    struct Timed: Decodable {
        let seconds: [Double]
        let peakBytes: Int
    }

    private struct Outputs: Decodable {
        let outputs: [Output]

        struct Output: Decodable {
            let name: String
            let file: String
        }
    }

    private struct InputEntry: Encodable {
        let name: String
        let file: String
        let type: String
        let shape: [Int]
    }

    private struct Refusal: Decodable {
        let error: String
    }

    private func ask<Answer: Decodable>(_ request: String, taking seconds: Double = 0) throws -> Answer {
        process.resume()
        defer { process.pause() }
        let end = ContinuousClock.now + Self.patience + .seconds(4 * seconds)
        guard process.write(line: request),
            let line = try process.readLine(until: end, maximumCount: Self.maximumLineCount)
        else {
            if ContinuousClock.now >= end { throw Failure(message: "it gave no answer to \"\(request)\" in time") }
            throw Failure(message: process.failure(within: .seconds(1)) ?? "Python gave no answer")
        }
        if let refusal = try? JSONDecoder().decode(Refusal.self, from: line) { throw Failure(message: refusal.error) }
        do { return try JSONDecoder().decode(Answer.self, from: line) } catch {
            let text = String(decoding: line.prefix(80), as: UTF8.self).printable
            throw Failure(message: "its answer to \"\(request)\" cannot be read: \(text)")
        }
    }

    /// The name of an element type in NumPy.
    private static func typeName(_ type: ElementType) -> String? {
        switch type {
        case .float32: "<f4"
        case .float64: "<f8"
        case .float16: "<f2"
        case .int8: "i1"
        case .uint8, .bool: type == .bool ? "?" : "u1"
        case .int16: "<i2"
        case .int32: "<i4"
        case .int64: "<i8"
        default: nil
        }
    }
}
