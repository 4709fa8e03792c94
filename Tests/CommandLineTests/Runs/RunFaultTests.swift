import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct RunFaultTests {
    @Test(arguments: [SIGINT, SIGTERM], [0.02, 0.1, 0.3])
    func aSignalLeavesARunThatCanBeResumed(_ signal: Int32, _ part: Double) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 600)
            let expected = try await pictures.rows()
            let file = folder.appendingPathComponent("rows.jsonl")
            let arguments = pictures.arguments + ["-o", "rows.jsonl", "--commit-rows", "5"]
            let command = Command(arguments, in: folder)
            let wanted = Int(part * Double(expected.utf8.count))
            Thread.detachNewThread {
                for _ in 0..<6000 where command.process.isRunning || !FileManager.default.fileExists(atPath: file.path)
                {
                    let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int ?? 0
                    if size > wanted { break }
                    Thread.sleep(forTimeInterval: 0.002)
                }
                if command.process.isRunning { kill(command.process.processIdentifier, signal) }
            }
            let outcome = try await command.outcome()
            #expect(outcome.status == 6, "\(outcome.errors)")
            let rows = try Row.all(try String(contentsOf: file, encoding: .utf8).split(separator: "\n"))
            #expect(rows.count < 600)
            #expect(outcome.errors.hasPrefix("apus: interrupted after \(rows.count) of 600 pictures; go on with: "))
            let again = try await Command.run(arguments, in: folder)
            #expect(again.status == 2)
            #expect(again.errors.contains("holds \(rows.count) rows of a run that is not finished"))
            #expect(try await Command.run(arguments + ["--resume"], in: folder).status == 1)
            #expect(try String(contentsOf: file, encoding: .utf8) == expected)
        }
    }

    @Test func aSecondRunOnAnOutputNamesTheFirst() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 3)
            let fifo = folder.appendingPathComponent("pictures/slow.png").path
            try #require(mkfifo(fifo, 0o600) == 0)
            let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
            let arguments = pictures.arguments + ["pictures/slow.png", "-o", "rows.csv", "--timeout", "600"]
            let first = Command(arguments, in: folder)
            async let firstOutcome = first.outcome()
            // The file is created a moment before it is locked; the manifest comes after both.
            let manifest = folder.appendingPathComponent("rows.csv.run.json").path
            for _ in 0..<6000 where !FileManager.default.fileExists(atPath: manifest) {
                try await Task.sleep(for: .milliseconds(5))
            }
            let second = try await Command.run(arguments, in: folder)
            #expect(second.status == 2)
            #expect(second.errors.contains("rows.csv is being written by process \(first.process.processIdentifier)"))
            kill(first.process.processIdentifier, SIGKILL)
            #expect(try await firstOutcome.status == -SIGKILL)
            try writer.close()
            // The lock ended with its process.
            try FileManager.default.removeItem(atPath: fifo)
            #expect(try await Command.run(arguments + ["--resume"], in: folder).status == 1)
        }
    }

    @Test func resumingSomethingElseIsRefusedByName() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let arguments = pictures.arguments + ["-o", "rows.jsonl"]
            #expect(try await Command.run(arguments, in: folder).status == 1)
            let before = try Data(contentsOf: folder.appendingPathComponent("rows.jsonl"))
            for (options, phrase) in [
                (["--min-confidence", "0.5"], "min-confidence was 0.0 and is 0.5"),
                (["--shard", "1/2"], "the shard was 1/1 and is 1/2"),
                (["--unordered"], "order was kept and is free"),
                (["--mean", "0.5"], "preprocessing was"),
                ([Fixtures.path("photos/coffee.png")], "the list of inputs had 12 records and has 13 records"),
                (["--format", "csv"], "format was jsonl and is csv"),
            ] {
                let outcome = try await Command.run(arguments + options + ["--resume"], in: folder)
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains(phrase), "\(outcome.errors)")
            }
            var other = arguments
            other[1] = "zoo:squeezenet1_1"
            let outcome = try await Command.run(other + ["--resume"], in: folder)
            #expect(outcome.errors.contains("the model was small.onnx and is zoo:squeezenet1_1"))
            #expect(try Data(contentsOf: folder.appendingPathComponent("rows.jsonl")) == before)
        }
    }

    @Test("A finished output is compared with its manifest before it counts as done")
    func resumingAFinishedOutputThatWasDamaged() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 40)
            let arguments = pictures.arguments + ["-o", "rows.jsonl", "--resume"]
            #expect(try await Command.run(arguments, in: folder).status == 1)
            #expect(try await Command.run(arguments, in: folder).status == 1)
            let file = folder.appendingPathComponent("rows.jsonl")
            let whole = try Data(contentsOf: file)
            var edited = whole
            edited[1000] ^= 1
            for (data, phrase) in [
                (whole.prefix(3000), "holds 3000 of the \(whole.count) bytes that its run wrote; put the file"),
                (edited, "has changed since it was written"), (whole + whole, "holds \(2 * whole.count) bytes, but"),
            ] {
                try data.write(to: file)
                let outcome = try await Command.run(arguments, in: folder)
                #expect(outcome.status == 5)
                #expect(outcome.errorLines.count == 1)
                #expect(outcome.errors.contains("rows.jsonl: \(phrase)"), "\(outcome.errors)")
                #expect(try Data(contentsOf: file) == data)
            }
        }
    }

    @Test("A run whose committed rows have changed is not resumed")
    func resumingAnUnfinishedOutputThatWasEdited() async throws {
        try await withTemporaryFolder { folder in
            for format in ["jsonl", "npy"] {
                let own = folder.appendingPathComponent(format)
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                let pictures = try Pictures(in: own, count: 40)
                let arguments = pictures.arguments + ["-o", "rows.\(format)"]
                _ = try await Command.run(arguments + ["--max-errors", "1"], in: pictures.folder)
                let file = pictures.folder.appendingPathComponent("rows.\(format)")
                let good = try Data(contentsOf: file)
                var edited = good
                edited[300] ^= 1
                try edited.write(to: file)
                let outcome = try await Command.run(arguments + ["--resume"], in: pictures.folder)
                #expect(outcome.status == 5)
                #expect(outcome.errors.contains("bytes that were committed have changed since"), "\(outcome.errors)")
                try good.write(to: file)
                #expect(try await Command.run(arguments + ["--resume"], in: pictures.folder).status == 1)
            }
        }
    }

    @Test(
        "Another list on standard input is noticed before a row of it is written",
        arguments: ["jsonl", "sqlite"], [[], ["--unordered", "--threads", "3"]])
    func resumingWithAnotherListOnStandardInput(_ format: String, _ options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 60)
            let names = (0..<60).map { "pictures/" + String(repeating: "0", count: $0 < 10 ? 4 : 3) + "\($0).png" }
            var other = names
            other.swapAt(3, 4)
            func predict(_ list: [String], _ more: [String]) async throws -> Command.Outcome {
                let file = folder.appendingPathComponent("list.txt")
                try Data(list.map { $0 + "\n" }.joined().utf8).write(to: file)
                var arguments = pictures.arguments + ["-o", "rows.\(format)", "--commit-rows", "3"] + options + more
                arguments[2] = "-"
                let command = Command(arguments, in: folder)
                command.process.standardInput = try FileHandle(forReadingFrom: file)
                return try await command.outcome()
            }
            #expect(try await predict(names, ["--max-errors", "2"]).status == 7)
            let file = folder.appendingPathComponent("rows.\(format)")
            let rows = try Data(contentsOf: file)
            for (list, phrase) in [
                (other, "records of its list were different or in another order"),
                (Array(names.prefix(7)), "its list had more than the 7 records of this one"),
            ] {
                let outcome = try await predict(list, ["--resume"])
                #expect(outcome.status == 2)
                #expect(
                    outcome.errors.hasPrefix("apus: rows.\(format): the run to resume differs: "),
                    "\(outcome.errors)")
                #expect(outcome.errors.contains(phrase), "\(outcome.errors)")
                if format != "sqlite" { #expect(try Data(contentsOf: file) == rows) }
            }
            #expect(try await predict(names, ["--resume"]).status == 1)
            #expect(try await Command.run("merge", "--verify", "rows.\(format)", in: folder).status == 0)
        }
    }

    @Test("A database that is finished has no log beside it and can be read where nothing may be written")
    func finishedDatabase() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 12)
            let arguments = pictures.arguments + ["-o", "rows.sqlite"]
            for (options, status) in [(["--max-errors", "0"], 7), (["--resume"], 1 as Int32)] {
                #expect(try await Command.run(arguments + options, in: folder).status == status)
                // Versions of the file format for writing and reading: 1 is a rollback journal, 2 a write-ahead log.
                let header = try Data(contentsOf: folder.appendingPathComponent("rows.sqlite")).prefix(20)
                #expect(header.suffix(2) == Data([1, 1]))
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(
                    names.filter { $0.hasPrefix("rows.") }.sorted()
                        == ["rows.sqlite", "rows.sqlite.run.json", "rows.sqlite.run.list"])
            }
        }
    }

    @Test("A run that errors ended has its own exit code, and goes on when it is resumed")
    func errorsOfTheEarlierRunDoNotCount() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 60)
            let expected = try await pictures.rows()
            let arguments = pictures.arguments + ["-o", "rows.jsonl", "--max-errors", "1"]
            let output = folder.appendingPathComponent("rows.jsonl")
            // Every eleventh picture is an error, and each part of the run ends behind its second.
            for (part, count) in [(0, 17), (1, 39)] {
                let outcome = try await Command.run(arguments + (part == 0 ? [] : ["--resume"]), in: folder)
                #expect(outcome.status == 7, "\(outcome.errors)")
                #expect(outcome.errors.contains("\(60 - count) pictures left; --resume goes on"), "\(outcome.errors)")
                #expect(try String(contentsOf: output, encoding: .utf8).split(separator: "\n").count == count)
            }
            let last = try await Command.run(arguments + ["--resume"], in: folder)
            #expect(last.status == 1, "\(last.errors)")
            #expect(try String(contentsOf: output, encoding: .utf8) == expected)
        }
    }

    @Test("The time for which the process is stopped does not count")
    func aStoppedProcess() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 2)
            let fifo = folder.appendingPathComponent("late.png").path
            try #require(mkfifo(fifo, 0o600) == 0)
            let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
            var arguments = pictures.arguments + ["--timeout", "10", "--batch", "1"]
            arguments[2] = "late.png"
            let command = Command(arguments, in: folder)
            let stopping = Thread {
                while !command.process.isRunning { Thread.sleep(forTimeInterval: 0.01) }
                Thread.sleep(forTimeInterval: 1)
                kill(command.process.processIdentifier, SIGSTOP)
                // Longer than a picture may take.
                Thread.sleep(forTimeInterval: 12)
                kill(command.process.processIdentifier, SIGCONT)
                Thread.sleep(forTimeInterval: 1)
                try? writer.write(contentsOf: (try? Fixtures.data("images/grey-16.png")) ?? Data())
                // A pipe loses what no reader has taken when its last writer closes it.
                var unread: Int32 = 1
                while unread > 0, command.process.isRunning, ioctl(writer.fileDescriptor, UInt(FIONREAD), &unread) == 0
                {
                    Thread.sleep(forTimeInterval: 0.01)
                }
                try? writer.close()
            }
            stopping.start()
            let outcome = try await command.outcome()
            #expect(try Row.all(outcome.lines).map { $0.error?.code } == [nil], "\(outcome.output)")
        }
    }

    @Test func aPictureThatHangsIsARowAfterItsTime() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 4)
            let fifo = folder.appendingPathComponent("silent.png").path
            try #require(mkfifo(fifo, 0o600) == 0)
            let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
            defer { try? writer.close() }
            var arguments = pictures.arguments + ["--timeout", "4"]
            arguments.replaceSubrange(2..<3, with: ["pictures/00001.png", "silent.png", "pictures/00000.png"])
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 1)
            let rows = try Row.all(outcome.lines)
            #expect(rows.map(\.id) == ["pictures/00001.png", "silent.png", "pictures/00000.png"])
            #expect(rows.map { $0.error?.code } == [nil, "deadline", nil])
            #expect(rows[1].error?.stage == "read")
        }
    }

    @Test func anOutputThatCannotBeWrittenIsFoundBeforeTheModelIsRead() async throws {
        try await withTemporaryFolder { folder in
            for output in ["nowhere/rows.csv", "/proc/rows.csv"] {
                let outcome = try await Command.run(
                    "predict", "no-such-model.onnx", Fixtures.path("photos"), "-o", output, in: folder)
                #expect(outcome.status == 5)
                #expect(outcome.errors.hasPrefix("apus: \(output): "))
            }
        }
    }

    @Test func picturesThatChangeOrGoAreRows() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 3)
            let files = (0..<3).map { folder.appendingPathComponent("pictures/0000\($0).png") }
            try FileManager.default.removeItem(at: files[0])
            try Fixtures.data("images/color-420.jpg").prefix(300).write(to: files[0])
            try FileManager.default.removeItem(at: files[1])
            try FileManager.default.createSymbolicLink(
                at: files[1], withDestinationURL: URL(fileURLWithPath: "/no/such"))
            let rows = try Row.all(try await pictures.rows().split(separator: "\n"))
            #expect(rows.map { $0.error?.code } == ["truncated", "unreadable", nil])
        }
    }

    @Test func aPictureThatIsTooLargeIsARow() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 3)
            // An IHDR of 60,000 x 60,000 pixels, with the length and checksum that it should have.
            var bomb = try Fixtures.data("images/grey-16.png")
            let sides = Data([0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
            bomb.replaceSubrange(16..<24, with: sides)
            bomb.replaceSubrange(29..<33, with: Self.checksum(bomb[12..<29]))
            let file = folder.appendingPathComponent("pictures/00001.png")
            try FileManager.default.removeItem(at: file)
            try bomb.write(to: file)
            let rows = try Row.all(try await pictures.rows().split(separator: "\n"))
            #expect(rows.map { $0.error?.code } == [nil, "too-large", nil])
            #expect(rows[1].error?.message.contains("60000") ?? false)
        }
    }

    /// The checksum of a chunk of PNG: CRC-32 with the polynomial 0xEDB88320, most significant byte first.
    private static func checksum(_ bytes: Data) -> Data {
        var checksum: UInt32 = .max
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return withUnsafeBytes(of: (~checksum).bigEndian) { Data($0) }
    }

    @Test func aClockThatIsSetBackChangesNothing() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 60)
            let expected = try await pictures.rows()
            let arguments = pictures.arguments + ["-o", "rows.jsonl", "--commit-rows", "5"]
            #expect(try await Command.run(arguments + ["--max-errors", "2"], in: folder).status == 7)
            // Leaves a run that began before the clock was set back by decades.
            let manifest = folder.appendingPathComponent("rows.jsonl.run.json")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            let later = text.replacing(/"began" : "[^"]*"/, with: "\"began\" : \"2090-01-01T00:00:00Z\"")
            #expect(later != text)
            try later.write(to: manifest, atomically: true, encoding: .utf8)
            let date = Date(timeIntervalSinceNow: 2e9)
            for name in ["rows.jsonl", "rows.jsonl.run.json", "small.onnx"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: date], ofItemAtPath: folder.appendingPathComponent(name).path)
            }
            #expect(try await Command.run(arguments + ["--resume"], in: folder).status == 1)
            let rows = try String(contentsOf: folder.appendingPathComponent("rows.jsonl"), encoding: .utf8)
            #expect(rows == expected)
        }
    }

    @Test func shardsMergeIntoTheWhole() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 60)
            let expected = try await pictures.rows().split(separator: "\n").sorted()
            let parts = (1...3).map { "part\($0).jsonl" }
            for (index, part) in parts.enumerated() {
                let arguments = pictures.arguments + ["-o", part, "--shard", "\(index + 1)/3"]
                let status = try await Command.run(arguments, in: folder).status
                #expect(status == 0 || status == 1)
            }
            #expect(try await Command.run(["merge"] + parts + ["-o", "all.jsonl"], in: folder).status == 0)
            let text = try String(contentsOf: folder.appendingPathComponent("all.jsonl"), encoding: .utf8)
            #expect(text.split(separator: "\n").sorted() == expected)
            let missing = try await Command.run(["merge"] + parts.dropLast() + ["-o", "some.jsonl"], in: folder)
            #expect(missing.status == 2)
            #expect(missing.errors.contains("these shards are missing: 3/3"))
            let twice = try await Command.run(["merge", parts[0], parts[0], "-o", "some.jsonl"], in: folder)
            #expect(twice.errors.contains("both are shard 1/3"))
        }
    }

    @Test func unorderedRowsAreTheSameRows() async throws {
        try await withTemporaryFolder { folder in
            let pictures = try Pictures(in: folder, count: 50)
            let rows = try await pictures.rows(["--unordered"])
            #expect(rows.split(separator: "\n").sorted() == (try await pictures.rows()).split(separator: "\n").sorted())
        }
    }
}
