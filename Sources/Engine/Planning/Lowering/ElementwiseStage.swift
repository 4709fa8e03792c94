/// An elementwise function, of one value or of several that broadcast, that runs in one step with others; or a layer in
/// whose kernel such functions of its results run.
package protocol ElementwiseStage: Sendable {
    /// Joins this stage with one that reads its result as input `position`. The inputs of the joined stage are those of
    /// this stage, then the others of `next`. Nil where one step cannot run both.
    func followed(by next: any ElementwiseStage, at position: Int) -> (any ElementwiseStage)?

    /// Makes the step for the inputs, in order.
    func makeStep(_ inputs: [Operand?], _ output: Operand) throws -> ElementwiseStep
}

/// The step of one or several elementwise functions.
package enum ElementwiseStep {
    case host(any Step)
    case device(any DeviceStep)
}
