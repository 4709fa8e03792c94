import Foundation
import FuzzTargets
import Testing

/// Replays the initial corpus of fuzzing, and files with which it found an error.
@Suite("Fuzzing") struct ReplayTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The files of a target in a folder beside this one.
    private static func files(_ part: String, _ target: FuzzTarget) -> [URL] {
        let folder = folder.appendingPathComponent(part).appendingPathComponent(target.rawValue)
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }
    }

    @Test("What was found stays mended", arguments: FuzzTarget.allCases)
    func reproducers(_ target: FuzzTarget) throws {
        for file in Self.files("Reproducers", target) {
            #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try target.run([UInt8](try Data(contentsOf: file)))
            }
        }
    }

    @Test("Every target takes its corpus", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) throws {
        let files = Self.files("Corpus", target)
        #expect(!files.isEmpty)
        for file in files {
            #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try target.run([UInt8](try Data(contentsOf: file)))
            }
        }
    }
}
