import CApus
import Foundation
import Synchronization
import Testing
import TestSupport

@Suite(.callerThreads) struct RunTests {
    /// A folder of the test, which is removed with it.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func start(
        _ predictor: OpaquePointer, _ input: String, _ output: String, _ values: [String: String?] = [:],
        _ observer: Observer? = nil
    ) throws -> OpaquePointer {
        let options = try Interface.options(values)
        defer { Interface.release(options) }
        return try Interface.handle { handle, error in
            input.withCString { input in
                var inputs: [UnsafePointer<CChar>?] = [input]
                return apus_run_start(
                    predictor, &inputs, 1, output, options, observer == nil ? nil : Observer.progress,
                    observer == nil ? nil : Observer.end, observer?.context, handle, error)
            }
        }
    }

    /// Notes what a run reports.
    final class Observer: Sendable {
        let done = Atomic<Int64>(0)
        let ends = Atomic<Int>(0)
        var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        static func of(_ context: UnsafeMutableRawPointer?) -> Observer? {
            context.map { Unmanaged<Observer>.fromOpaque($0).takeUnretainedValue() }
        }
        static let progress: apus_progress_function = { progress, context in
            guard let progress = progress?.pointee else { return }
            Observer.of(context)?.done.store(progress.succeeded + progress.failed, ordering: .relaxed)
        }
        static let end: apus_callback = { _, context in Observer.of(context)?.ends.add(1, ordering: .relaxed) }
    }

    /// A signal that is not handled would end the process.
    @Test func aReaderThatLeavesIsAnErrorOfTheRunAndNoSignal() throws {
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        let predictor = try Interface.predictor(Interface.classifier)
        defer { Interface.release(predictor) }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let work = try start(predictor, Interface.photos, "/dev/fd/\(ends[1])", ["format": "jsonl"])
        defer { Interface.release(work) }
        let failure = #expect(throws: Interface.Failure.self) { try Interface.call { apus_work_wait(work, -1, $0) } }
        #expect(failure.map { $0.status == APUS_ERROR_FILE } == true, "\(String(describing: failure))")
        var waiting = sigset_t()
        sigpending(&waiting)
        #expect(sigismember(&waiting, SIGPIPE) == 0)
    }

    @Test func aRunWritesRowsAndIsResumed() throws {
        let predictor = try Interface.predictor(Interface.classifier)
        try withFolder { folder in
            let output = folder + "/rows.jsonl"
            let observer = Observer()
            let work = try start(predictor, Interface.photos, output, [:], observer)
            try Interface.call { apus_work_wait(work, -1, $0) }
            let summary = try Interface.text { apus_work_summary(work, $0, $1) }
            #expect(summary.contains("\"finished\""))
            #expect(observer.done.load(ordering: .relaxed) == 4)
            var progress = apus_progress()
            try Interface.call { apus_work_progress(work, &progress, $0) }
            #expect(progress.total == 4)
            #expect(progress.succeeded == 4)
            let rows = try String(contentsOfFile: output, encoding: .utf8)
            #expect(rows.split(separator: "\n").count == 4)
            // Without "resume" a finished run starts again; with it nothing is left to do.
            let again = try start(predictor, Interface.photos, output, ["resume": nil])
            try Interface.call { apus_work_wait(again, -1, $0) }
            #expect(try Interface.text { apus_work_summary(again, $0, $1) }.contains("\"resumed\" : 4"))
            #expect(try String(contentsOfFile: output, encoding: .utf8) == rows)
            while observer.ends.load(ordering: .relaxed) == 0 { usleep(1000) }
            #expect(observer.ends.load(ordering: .relaxed) == 1)
        }
    }

    @Test func aCancelledRunKeepsItsRowsAndGoesOn() throws {
        let predictor = try Interface.predictor(Interface.classifier)
        try withFolder { folder in
            let list = folder + "/list.csv"
            let photo = Interface.photos + "/coffee.png"
            let lines = (0..<200).map { "\($0),\(photo)" }
            try ("id,path\n" + lines.joined(separator: "\n") + "\n").write(
                toFile: list, atomically: true, encoding: .utf8)
            let output = folder + "/rows.jsonl"
            let work = try start(predictor, list, output)
            var progress = apus_progress()
            while progress.succeeded == 0 { try Interface.call { apus_work_progress(work, &progress, $0) } }
            try Interface.call { apus_work_cancel(work, $0) }
            let end = try #require(throws: Interface.Failure.self) {
                try Interface.call { apus_work_wait(work, -1, $0) }
            }
            #expect(Int(end.status) == APUS_ERROR_CANCELLED)
            let rest = try start(predictor, list, output, ["resume": nil])
            try Interface.call { apus_work_wait(rest, -1, $0) }
            let rows = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            #expect(rows.count == 200)
            #expect(rows.enumerated().allSatisfy { $1.hasPrefix("{\"id\":\"\($0)\"") })
        }
    }

    @Test func anOutputThatIsAnInputIsRefused() throws {
        let predictor = try Interface.predictor(Interface.classifier)
        try withFolder { folder in
            let list = folder + "/list.csv"
            try "id,path\na,b.jpg\n".write(toFile: list, atomically: true, encoding: .utf8)
            let failure = try #require(throws: Interface.Failure.self) {
                try start(predictor, list, list, ["force": nil])
            }
            #expect(failure.message.contains("list.csv"))
            #expect(try String(contentsOfFile: list, encoding: .utf8) == "id,path\na,b.jpg\n")
        }
    }

    @Test func timeThatPassesIsNoFailure() throws {
        let predictor = try Interface.predictor(Interface.classifier)
        let list = try Interface.handle { apus_picture_file(Interface.photos + "/coffee.png", $0, $1) }
        let pictures = [OpaquePointer?](repeating: list, count: 64)
        let work = try Interface.handle { apus_predictor_predict_async(predictor, pictures, 64, nil, nil, $0, $1) }
        let early = try #require(throws: Interface.Failure.self) { try Interface.call { apus_work_wait(work, 0, $0) } }
        #expect(Int(early.status) == APUS_TIMEOUT)
        try Interface.call { apus_work_wait(work, -1, $0) }
        var answers = [OpaquePointer?](repeating: nil, count: 64)
        try Interface.call { apus_work_answers(work, &answers, 64, $0) }
        #expect(Set(answers).count == 64)
    }
}
