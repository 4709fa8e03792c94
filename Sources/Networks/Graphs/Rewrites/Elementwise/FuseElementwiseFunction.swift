import Tensors

/// Recognises functions that exporters write as several nodes: Gelu in both forms, Swish, HardSwish, HardSigmoid and
/// Mish.
///
/// Legal when the elementwise nodes between a value and a result are one of these functions by the laws of arithmetic
/// (``ElementwiseForm``), with numbers that differ from the function's by 4 · 10⁻⁶ of them at most, when these numbers
/// have no more axes than the value, and when nothing else reads the values in between.
///
/// Rounding: that of the nodes, and of their numbers. At −∞, where the nodes give −∞ · 0 = NaN, the function has its
/// limit 0; where the nodes overflow, at more than a 64th of the element type's largest number, it does not.
package struct FuseElementwiseFunction: NodeRewrite {
    package static let name = "FuseElementwiseFunction"
    package static let summary = "Recognises Gelu, Swish, HardSwish, HardSigmoid and Mish written as several nodes."

    package init() {}

    /// The functions with their forms.
    private static let functions: [(operation: any ElementwiseUnary, form: ElementwiseForm)] = {
        let x = ElementwiseForm.argument
        func number(_ value: Double) -> ElementwiseForm? { ElementwiseForm(value) }
        func scaled(_ factor: Double) -> ElementwiseForm? { number(factor).flatMap { $0 * x } }
        func gated(_ gate: ElementwiseForm?) -> ElementwiseForm? { gate.flatMap { x * $0 } }
        /// ½ + ½ · u
        func raised(_ form: ElementwiseForm?) -> ElementwiseForm? {
            guard let half = number(0.5), let form, let product = half * form else { return nil }
            return half + product
        }
        let line = number(1.0 / 6).flatMap { $0 * x }.flatMap { sixth in number(0.5).flatMap { sixth + $0 } }
        let argument = x.power(3).flatMap { cube in number(0.044715).flatMap { $0 * cube } }.flatMap { x + $0 }
        let curve = number((2 / Double.pi).squareRoot()).flatMap { factor in argument.flatMap { factor * $0 } }
        let forms: [(any ElementwiseUnary, ElementwiseForm?)] = [
            (Gelu(), gated(raised(scaled(0.5.squareRoot())?.errorFunction))),
            (Gelu(isApproximate: true), gated(raised(curve?.tanh))),
            (Swish(), gated(x.logistic)),
            (Swish(alpha: 1.702), gated(scaled(1.702)?.logistic)),
            (HardSwish(), gated(line?.clipped(0, 1))),
            (HardSigmoid(alpha: 1 / 6), line?.clipped(0, 1)),
            (Mish(), gated(x.softplus.tanh)),
        ]
        return forms.compactMap { operation, form in form.map { (operation, $0) } }
    }()

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.operation is Mul || node.operation is Div, node.outputs.count == 1,
            let expression = ElementwiseExpression(node, edit), expression.nodeCount > 1,
            let type = edit.type(expression.argument), type.elementType.isFloatingPoint,
            expression.widestNumber <= type.shape.rank, edit.type(node.outputs[0]).map({ $0 == type }) ?? true,
            let match = Self.functions.first(where: { $0.form.equals(expression.form) })
        else { return }
        let argument = expression.argument
        let fused = Graph.Node(name: node.name, operation: match.operation, inputs: [argument], outputs: node.outputs)
        edit.replace(index, with: fused)
        edit.note(
            node, "is \(fused.operatorName) of \"\(edit.name(argument))\", written as \(expression.nodeCount) nodes")
    }
}
