import Apus
import Foundation
import Testing

/// A file longer than memory is refused before memory is allocated.
@Test func arrayFileLongerThanMemoryIsAnError() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).npy").path
    defer { unlink(path) }
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    // The file is sparse and takes no space on the disk.
    try #require(ftruncate(descriptor, 200_000_000_000) == 0)
    let error = #expect(throws: ApusError.self) { try Tensor(contentsOfNumPyFile: path) }
    #expect(error?.description.contains("200000000000 bytes") == true, "\(error?.description ?? "")")
}
