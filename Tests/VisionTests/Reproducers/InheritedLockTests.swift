import Apus
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// A child process has copies of all descriptors until it starts its program.
@Suite struct InheritedLockTests {
    @Test("An output's lock is released while a copy of its descriptor is open")
    func releasesCopies() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "rows.jsonl").path
            let place = try FilePlace(path)
            var lock: OutputLock? = try OutputLock(place, named: "rows.jsonl")
            let copy = dup(try #require(try descriptor(of: path)))
            defer { close(copy) }
            #expect(throws: ApusError.self) { try OutputLock(try FilePlace(path), named: "rows.jsonl") }
            withExtendedLifetime(lock) {}
            lock = nil
            _ = try OutputLock(try FilePlace(path), named: "rows.jsonl")
        }
    }

    /// The descriptor of this process's open file at a path.
    private func descriptor(of path: String) throws -> Int32? {
        let identity = FileIdentity(path)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            if FileIdentity("/proc/self/fd/\(name)") == identity { return Int32(name) }
        }
        return nil
    }
}
