/// Functions of one element, and of one element each of values that broadcast, that a device runs in one kernel.
package protocol ElementwiseStage: Sendable {
    /// The stage followed by another whose input `position` is its result, and for which it has all inputs of the first in
    /// front and then the others of the second; nil where one kernel cannot do both.
    func followed(by next: any ElementwiseStage, at position: Int) -> (any ElementwiseStage)?

    /// The step, of the inputs in order.
    func makeStep(_ inputs: [Operand?], _ output: Operand) throws -> any DeviceStep
}
