import Formats
import Foundation
import Testing

struct CoreMLTableTests {
    /// With `APUS_WRITE_TABLES` in the environment the page is rewritten.
    @Test("The page on what is read of Core ML says what the code does")
    func page() throws {
        let file = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Networks/Formats/CoreML/LAYERS.md")
        if ProcessInfo.processInfo.environment["APUS_WRITE_TABLES"] != nil {
            try CoreMLTable.text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == CoreMLTable.text)
    }
}
