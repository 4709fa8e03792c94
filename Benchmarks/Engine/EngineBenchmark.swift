import Apus
import Foundation

/// Runs one model in a process of its own, so that another program can time it in turns with other engines. Each
/// request on standard input is answered with a line.
///
///     engine-benchmark MODEL BATCH THREADS PRECISION
///
/// The first line is `ready`. `load` loads and plans, and answers the milliseconds. `time SECONDS WARM-UPS` makes
/// WARM-UPS untimed runs, then timed runs for SECONDS, on the calling thread as in other engines, and answers the
/// milliseconds of each. `output FILE` writes the first output as float32 and answers its count. A failure is answered
/// with `error REASON`.
@main
struct EngineBenchmark {
    private static let minimumRuns = 3

    static func main() async {
        do {
            let arguments = CommandLine.arguments
            guard arguments.count == 5, let batch = Int(arguments[2]), let threads = Int(arguments[3]),
                let precision = Precision(rawValue: arguments[4])
            else {
                throw ApusError.usage("engine-benchmark MODEL BATCH THREADS PRECISION")
            }
            let options = Session.Options(threads: threads, precision: precision)
            write("ready")
            var loaded: LoadedModel?
            while let request = readLine()?.split(separator: " ").map(String.init) {
                switch (request.first, loaded) {
                case ("prepare", _):
                    write("prepared")
                case ("load", _):
                    let clock = ContinuousClock()
                    let start = clock.now
                    loaded = try await LoadedModel(arguments[1], batch: batch, options: options)
                    write(milliseconds(clock.now - start))
                case ("time", let model?):
                    guard request.count == 3, let seconds = Double(request[1]), let warmUps = Int(request[2]) else {
                        throw ApusError.usage("time SECONDS WARM-UPS")
                    }
                    write(try times(of: model, seconds: seconds, warmUps: warmUps).joined(separator: " "))
                case ("output", let model?) where request.count == 2:
                    let output = try model.run()
                    try output.withUnsafeBytes { try Data($0).write(to: URL(filePath: request[1])) }
                    write("\(output.count)")
                default:
                    throw ApusError.usage("load comes first; then time SECONDS WARM-UPS or output FILE")
                }
            }
        } catch {
            write("error " + "\(error)".replacing("\n", with: " "))
        }
    }

    private static func times(of model: LoadedModel, seconds: Double, warmUps: Int) throws -> [String] {
        for _ in 0..<warmUps { _ = try model.session.predictSynchronously(model.inputs) }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        var times: [String] = []
        while times.count < minimumRuns || clock.now < end {
            let time = try clock.measure { _ = try model.session.predictSynchronously(model.inputs) }
            times.append(milliseconds(time))
        }
        return times
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(duration / .milliseconds(1))
    }

    private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// A session and the inputs with which it is timed, the same as those of `Benchmarks/Peers/worker.py`.
struct LoadedModel {
    let session: Session
    let inputs: [String: Tensor]

    init(_ path: String, batch: Int, options: Session.Options) async throws {
        session = try await Session(Model(contentsOf: path), options: options)
        let graph = session.model.graph
        var inputs: [String: Tensor] = [:]
        for id in graph.inputs {
            let extents = (graph[id].shape?.dimensions ?? []).map { $0.value ?? batch }
            let values = (0..<extents.reduce(1, *)).map { Float($0 % 255) / 255 }
            inputs[graph[id].name] = try Tensor(values, shape: extents)
        }
        self.inputs = inputs
    }

    /// Runs the model and returns its first output.
    func run() throws -> [Float] {
        let graph = session.model.graph
        let outputs = try session.predictSynchronously(inputs)
        return outputs[graph[graph.outputs[0]].name]?.elements() ?? []
    }
}
