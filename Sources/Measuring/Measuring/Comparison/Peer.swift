import Models
import Platform

/// Another engine that runs the same network beside Apus, in a Python that has it.
///
///     let peer = try Peer("openvino:f32", python: "venv/bin/python")
public struct Peer: Sendable, Hashable {
    /// An engine with a Python package.
    public enum Engine: String, Sendable, CaseIterable, Codable {
        /// `onnxruntime`, which reads ONNX.
        case onnxruntime
        /// `openvino`, which reads ONNX, tuned for latency.
        case openvino
        /// `ai-edge-litert`, which reads TensorFlow Lite.
        case litert

        /// The extension of the files that it reads.
        package var fileExtension: String { self == .litert ? "tflite" : "onnx" }
    }

    /// The engine.
    public let engine: Engine
    /// The precision that OpenVINO is told to compute in, such as `f32`; nil as it comes, which is bfloat16 where the
    /// processor has fast products of it.
    public let precision: String?
    /// The Python that has the engine's package: a path, or a name in `PATH`.
    public let python: String

    /// The name in tables and pages, such as `openvino:f32`.
    public var name: String { engine.rawValue + (precision.map { ":\($0)" } ?? "") }

    /// Makes a peer of a text such as `onnxruntime`, `openvino` or `openvino:f32`.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for another engine or precision.
    public init(_ text: String, python: String = "python3") throws(ApusError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let engine = parts.first.flatMap(Engine.init), parts.count <= 2 else {
            let names = Engine.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("there is no engine \"\(text.printable)\" to run beside; there are \(names)")
        }
        if parts.count == 2, engine != .openvino || !["f32", "bf16", "f16"].contains(parts[1]) {
            throw .usage("\"\(text.printable)\": openvino alone takes a precision, which is f32, bf16 or f16")
        }
        (self.engine, precision, self.python) = (engine, parts.count == 2 ? parts[1] : nil, python)
    }
}

extension Comparison {
    /// What another engine did on the same network and inputs. A peer that fails has a reason and no figures.
    public struct PeerResult: Sendable, Encodable {
        /// The name of the engine, such as `openvino:f32`.
        public let name: String
        /// The version of its package; nil where it did not start.
        public internal(set) var version: String?
        /// Why it did not run; nil where it did.
        public internal(set) var failure: String?
        /// The seconds that loading took, without starting Python and the package.
        public internal(set) var loadSeconds: Double?
        /// The times of runs.
        public internal(set) var latency: TimeStatistics?
        /// Its time divided by that of the first configuration, round by round.
        public internal(set) var ratio: Ratio?
        /// The largest resident memory of its process beyond that of Python with the package, in bytes.
        public internal(set) var modelBytes: Int?
        /// The largest relative error of its outputs beside those of the first configuration, on the inputs of the
        /// timed runs; see ``Agreement``. Nil where nothing was compared.
        public internal(set) var largestRelativeError: Double?

        init(name: String, version: String? = nil, failure: String? = nil) {
            (self.name, self.version, self.failure) = (name, version, failure)
        }
    }
}
