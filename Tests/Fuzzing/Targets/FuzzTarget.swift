import Apus
import Formats
import Foundation
import Images
import Measuring
import Tensors

/// What bytes of any content are given to. Each either does something with them or throws an error of its own.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A model file, which is read, simplified, planned and run.
    case model
    /// A JPEG or PNG file.
    case picture
    /// Labels, preprocessing, manifests, arrays and archives of them; the first byte says which.
    case companion
    /// The manifest of a run, and behind a zero byte its output: compared, merged, and gone on with.
    case manifest
    /// Numbers that a valid network is drawn from and changed by; backends have to agree.
    case graph

    /// Gives bytes to the target.
    ///
    /// - Throws: ``Finding`` when something is wrong, though nothing crashed.
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
            // Text of an error is one line, whatever is in the file.
            let text = "\(error)"
            guard !text.isEmpty, text.unicodeScalars.count < 4_000 else {
                throw Finding("an error of \(text.count) characters")
            }
        }
    }

    /// Limits what bytes may ask for, in a process that does nothing else: time belongs to many small inputs.
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
