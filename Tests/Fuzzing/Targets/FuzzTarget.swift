import Apus
import Formats
import Foundation
import Images
import Measuring
import Tensors

/// A reader of arbitrary bytes. It either accepts them or throws an error of its own.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A model file, which is read, simplified, planned and run.
    case model
    /// A picture file.
    case picture
    /// Labels, preprocessing, manifests, arrays and archives of them; the first byte says which.
    case companion
    /// The manifest of a run and, after a zero byte, its output: compared, merged and resumed.
    case manifest
    /// Numbers that determine a valid network and changes of it; all backends must agree.
    case graph

    /// Passes bytes to the target.
    ///
    /// - Throws: ``Finding`` when something is wrong although nothing crashed.
    package func run(_ bytes: [UInt8]) throws {
        do {
            switch self {
            case .model: try ModelFuzzing.run(bytes)
            case .picture: _ = try Image(decoding: bytes, options: .init(maximumPixelCount: 1 << 20))
            case .companion: try CompanionFuzzing.run(bytes)
            case .manifest: try ManifestFuzzing.run(bytes)
            case .graph: try GraphFuzzing.run(bytes)
            }
        } catch let finding as Finding {
            throw finding
        } catch {
            // The text of an error is one line, regardless of the file's content.
            let text = "\(error)"
            guard !text.isEmpty, text.unicodeScalars.count < 4_000 else {
                throw Finding("an error of \(text.count) characters")
            }
        }
    }

    /// Limits the memory that bytes may demand, in a process that only fuzzes, so that there is time for many small
    /// inputs.
    package func limitMemory() {
        switch self {
        case .model, .companion, .manifest: MemoryBudget.process.limit = 64 << 20
        case .picture, .graph: MemoryBudget.process.limit = 256 << 20
        }
    }

    /// Something that is wrong.
    package struct Finding: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }
}
