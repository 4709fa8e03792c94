import Foundation
import Images
import Testing

/// Files with orientations in EXIF, XMP and what stands for them, and Pillow's results.
@Suite struct OrientationTests {
    @Test("Pictures are turned as Pillow turns them", arguments: Fixtures.references.oriented)
    func equalsPillow(_ expected: References.Result) throws {
        guard let image = try decodedOrSkipped(try Fixtures.data(expected.file)) else { return }
        #expect(image.size == expected.size)
        #expect(image.crc32 == expected.crc32)
    }
}
