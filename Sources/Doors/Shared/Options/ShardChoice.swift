import Apus
import ArgumentParser

/// A shard as `--shard` names it: I/N, or what the environment says.
package enum ShardChoice: Sendable {
    case given(Shard)
    /// The scheduler's environment says which; `count` is how many there are, where it is said.
    case automatic(count: Int?)

    /// The shard, and the variables that say so.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the environment does not say which shard this is.
    package func resolved(_ environment: [String: String]) throws(ApusError) -> (Shard, variables: [String]) {
        switch self {
        case .given(let shard): return (shard, [])
        case .automatic(let count):
            do {
                let assignment = try ShardAssignment(environment: environment, count: count)
                return (assignment.shard, assignment.variables)
            } catch {
                let name = count.map { "auto/\($0)" } ?? "auto"
                guard case .usage(let message) = error else { throw error }
                throw .usage("--shard \(name): \(message)")
            }
        }
    }
}

extension ShardChoice: ExpressibleByArgument {
    package init?(argument: String) {
        let automatic = "auto"
        if argument == automatic {
            self = .automatic(count: nil)
        } else if argument.hasPrefix("\(automatic)/") {
            guard let count = Int(argument.dropFirst(automatic.count + 1)), count >= 1 else { return nil }
            self = .automatic(count: count)
        } else {
            guard let shard = Shard(argument) else { return nil }
            self = .given(shard)
        }
    }
}
