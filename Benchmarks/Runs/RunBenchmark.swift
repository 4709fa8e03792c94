import Apus
import Dispatch
import Foundation
import Synchronization

/// Times one part of a batch run over a folder of pictures, or all of it:
///
///     run-benchmark decode|predict|run MODEL FOLDER THREADS BATCH [STREAMS]
///
/// `decode` reads, decodes and preprocesses every picture on THREADS threads. `predict` runs the network on the same
/// number of prepared pictures, by default on as many streams as `run` uses. `run` is the whole batch run with JSON
/// Lines as output. Prints pictures per second, without loading and planning, and the process's peak of memory in MiB.
@main
struct RunBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 6, let threads = Int(arguments[4]), let batch = Int(arguments[5]) else {
            throw ApusError.usage("run-benchmark decode|predict|run MODEL FOLDER THREADS BATCH [STREAMS]")
        }
        let streams = arguments.dropFirst(6).first.flatMap { Int($0) } ?? BatchOptions.streams(forThreads: threads)
        let classifier = try await Classifier(
            Model(contentsOf: arguments[2]), options: .init(threads: threads, streams: streams))
        let dataset = FileDataset.imageFolder(arguments[3])
        let rate: Double
        switch arguments[1] {
        case "decode": rate = try decode(dataset, classifier.preprocessing, threads: threads)
        case "predict": rate = try await predict(dataset, classifier, batch: batch, streams: streams)
        default: rate = try await run(dataset, classifier, batch: batch)
        }
        print(String(format: "%.2f %.1f", rate, Double(ProcessMemory.peakResidentBytes ?? 0) / Double(1 << 20)))
    }

    private static func files(_ dataset: FileDataset) throws -> [String] {
        let listing = try dataset.records()
        var files: [String] = []
        while let record = try listing.next() { files.append(record.id) }
        return files
    }

    private static func decode(_ dataset: FileDataset, _ steps: Preprocessing, threads: Int) throws -> Double {
        let files = try files(dataset)
        let next = Atomic<Int>(0)
        let failures = Atomic<Int>(0)
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < files.count else { return }
                do {
                    let image = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: files[index])))
                    _ = try steps.tensor(from: image)
                } catch {
                    failures.add(1, ordering: .relaxed)
                }
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard failures.load(ordering: .relaxed) == 0 else { throw ApusError.usage("a picture cannot be decoded") }
        return Double(files.count) / seconds
    }

    private static func predict(
        _ dataset: FileDataset, _ classifier: Classifier, batch: Int, streams: Int
    ) async throws -> Double {
        let files = try files(dataset)
        let pictures = try files.prefix(batch).map { file in
            try classifier.preprocessing.tensor(from: Image(decoding: Data(contentsOf: URL(fileURLWithPath: file))))
        }
        let session = classifier.session
        let input = session.model.graph.inputs.first.map { session.model.graph[$0].name } ?? ""
        let records = pictures.map { [input: $0] }
        let rounds = files.count / records.count
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for stream in 0..<streams {
                group.addTask {
                    for _ in stride(from: stream, to: rounds, by: streams) { _ = try await session.predict(records) }
                }
            }
            try await group.waitForAll()
        }
        return Double(rounds * records.count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private static func run(_ dataset: FileDataset, _ classifier: Classifier, batch: Int) async throws -> Double {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).jsonl").path
        defer { for name in [file, RunManifest.path(of: file)] { unlink(name) } }
        let output = RunOutput(try RunReservation(path: file), as: .jsonLines)
        return try await BatchRunner(classifier, options: .init(batch: batch)).run(over: dataset, into: output)
            .imagesPerSecond
    }
}
