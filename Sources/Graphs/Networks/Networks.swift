/// Networks written in Swift, without weights.
public enum Networks {
    /// A network of the zoo.
    public struct Entry: Sendable {
        /// The name, such as `squeezenet1_1`.
        public let name: String
        /// What it is, in one line.
        public let summary: String
        /// Describes it anew.
        public let build: @Sendable () throws(GraphError) -> Graph
    }

    /// Every network, in alphabetical order.
    public static let all: [Entry] = [
        Entry(name: "squeezenet1_1", summary: "SqueezeNet 1.1, ImageNet, 227 × 227") { () throws(GraphError) in
            try squeezeNet1_1()
        }
    ]

    /// The network called `name`, when there is one.
    public static func find(_ name: String) -> Entry? {
        all.first { $0.name == name }
    }
}
