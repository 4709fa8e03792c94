import Apus
import Foundation
import Synchronization

/// Pictures in memory, some of which are damaged, listed on demand.
struct TestedDataset: Dataset {
    let count: Int
    var canBeListedAhead = true
    var name: @Sendable (Int) -> String = { "picture \($0)" }
    var isBad: @Sendable (Int) -> Bool = { $0 % 7 == 3 }

    /// Files of different pictures.
    static let pictures = ["color-420.jpg", "color-444.jpg", "grey-16.png", "grey.jpg", "orientation-3.jpg"].map {
        TestedNetworks.fixtures.appending(path: "images/\($0)").path
    }

    func source(_ index: Int) -> ImageSource {
        let file =
            isBad(index)
            ? TestedNetworks.fixtures.appending(path: "images/bad/zeros.png").path
            : Self.pictures[index % Self.pictures.count]
        return .file(file)
    }

    func records() -> RecordListing {
        var index = 0
        return RecordListing { () throws(ApusError) -> ImageRecord? in
            guard index < count else { return nil }
            defer { index += 1 }
            return ImageRecord(id: name(index), source: source(index))
        }
    }
}

extension RunReservation {
    /// Takes a file only while `body` runs.
    static func taking<Result>(
        _ file: URL, resuming: Bool = false, _ body: (RunReservation) async throws -> Result
    ) async throws -> Result {
        let reservation = try RunReservation(path: file.path, resuming: resuming)
        return try await body(reservation)
    }
}

/// Calls `body` with a new folder that is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
