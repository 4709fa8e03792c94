import Apus
import ArgumentParser

extension Shard: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
