import Tensors

/// The outputs of a network for one picture, as they are.
public struct NetworkOutputs: Sendable {
    /// An output.
    public struct Output: Sendable {
        /// The name.
        public let name: String
        /// The numbers, without the axis of the batch.
        public let tensor: Tensor

        package init(name: String, tensor: Tensor) { (self.name, self.tensor) = (name, tensor) }
    }

    /// The outputs, in the network's order.
    public let outputs: [Output]

    package init(_ outputs: [Output]) { self.outputs = outputs }

    /// The output of a name; nil when there is none.
    public subscript(name: String) -> Tensor? { outputs.first { $0.name == name }?.tensor }
}
