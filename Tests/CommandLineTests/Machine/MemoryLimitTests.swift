import Foundation
import Testing

@Suite struct MemoryLimitTests {
    @Test("What is too much names the layer and a limit that suffices", arguments: ["10M", "30M", "60M"])
    func namesALimit(limit: String) async throws {
        let arguments = ["predict", Fixtures.model, "photos/coffee.png", "--batch", "64", "--threads", "1", "--quiet"]
        let refused = try await Command.run(arguments + ["--memory-limit", limit])
        if refused.status == 0 { return }
        #expect(refused.status == 5)
        #expect(refused.errorLines.count == 1)
        #expect(
            refused.errors.contains(" MiB of the memory budget of \(limit.dropLast()) MiB are in use; --memory-limit "))
        let words = refused.errors.split(separator: " ").map(String.init)
        let flag = try #require(words.firstIndex(of: "--memory-limit"))
        let allowed = try await Command.run(arguments + ["--memory-limit", words[flag + 1]])
        #expect(allowed.status == 0, "\(allowed.errors)")
    }
}
