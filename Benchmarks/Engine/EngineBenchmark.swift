import Apus
import Foundation

/// Runs a model and prints the milliseconds of each run, one line for each line read, so that another program can take
/// turns with it.
///
///     engine-benchmark MODEL BATCH THREADS
///
/// Prints first the milliseconds that loading and planning took.
@main
struct EngineBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let batch = Int(arguments[2]), let threads = Int(arguments[3]) else {
            throw ApusError.usage("engine-benchmark MODEL BATCH THREADS")
        }
        let clock = ContinuousClock()
        var session: Session?
        let start = try await clock.measure {
            session = try await Session(Model(contentsOf: arguments[1]), options: .init(threads: threads))
        }
        guard let session else { return }
        write(start)
        let graph = session.model.graph
        var inputs: [String: Tensor] = [:]
        for id in graph.inputs {
            let extents = (graph[id].shape?.dimensions ?? []).map { $0.value ?? batch }
            let count = extents.reduce(1, *)
            let values = (0..<count).map { Float($0 % 255) / 255 }
            inputs[graph[id].name] = try Tensor(values, shape: extents)
        }
        while readLine() != nil {
            write(try await clock.measure { _ = try await session.predict(inputs) })
        }
    }

    private static func write(_ duration: Duration) {
        FileHandle.standardOutput.write(Data("\(duration / .milliseconds(1))\n".utf8))
    }
}
