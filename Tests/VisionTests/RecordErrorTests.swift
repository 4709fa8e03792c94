import Apus
import Images
import Testing

@Suite("Errors of records")
struct RecordErrorTests {
    @Test("Work that was refused memory is done once more, and other failures are not")
    func refusalsOfMemory() throws {
        var count = 0
        let retried: Result<Int, RecordError> = RecordError.catching {
            count += 1
            if count == 1 { throw ImageError.outOfMemory }
            return 7
        }
        #expect(try retried.get() == 7 && count == 2)
        count = 0
        let failed: Result<Int, RecordError> = RecordError.catching {
            count += 1
            throw ImageError.corrupt("no pixels")
        }
        #expect(count == 1)
        #expect(throws: RecordError.self) { try failed.get() }
        count = 0
        let refused: Result<Int, RecordError> = RecordError.catching {
            count += 1
            throw ImageError.outOfMemory
        }
        #expect(count == 2)
        // The system has memory, so the picture alone asks for too much.
        #expect(throws: RecordError.self) { try refused.get() }
        if case .failure(let error) = refused { #expect(!error.isShortage && error.stage == "decode") }
    }
}
