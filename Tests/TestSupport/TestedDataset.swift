import Apus
import Foundation
import Synchronization

/// Pictures in memory, some of which are damaged, listed on demand.
package struct TestedDataset: Dataset {
    package let count: Int
    package var canBeListedAhead: Bool
    package var name: @Sendable (Int) -> String
    package var isBad: @Sendable (Int) -> Bool

    package init(
        count: Int, canBeListedAhead: Bool = true,
        name: @escaping @Sendable (Int) -> String = { "picture \($0)" },
        isBad: @escaping @Sendable (Int) -> Bool = { $0 % 7 == 3 }
    ) {
        (self.count, self.canBeListedAhead, self.name, self.isBad) = (count, canBeListedAhead, name, isBad)
    }

    /// Files of different pictures.
    package static let pictures = ["color-420.jpg", "color-444.jpg", "grey-16.png", "grey.jpg", "orientation-3.jpg"].map
    {
        TestedNetworks.fixtures.appending(path: "images/\($0)").path
    }

    package func source(_ index: Int) -> ImageSource {
        let file =
            isBad(index)
            ? TestedNetworks.fixtures.appending(path: "images/bad/zeros.png").path
            : Self.pictures[index % Self.pictures.count]
        return .file(file)
    }

    package func records() -> RecordListing {
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
    package static func taking<Result>(
        _ file: URL, resuming: Bool = false, _ body: (RunReservation) async throws -> Result
    ) async throws -> Result {
        let reservation = try RunReservation(path: file.path, resuming: resuming)
        return try await body(reservation)
    }
}
