/// The operators Apus knows, by ONNX name.
package enum Operators {
    /// Every operator, in alphabetical order.
    package static let all: [any Operator.Type] = [
        Abs.self,
        Add.self,
        And.self,
        AveragePool.self,
        BatchNormalization.self,
        Cast.self,
        Ceil.self,
        Clip.self,
        Concat.self,
        Constant.self,
        ConstantOfShape.self,
        Conv.self,
        Div.self,
        Dropout.self,
        Elu.self,
        Equal.self,
        Erf.self,
        Exp.self,
        Flatten.self,
        Floor.self,
        Gather.self,
        Gemm.self,
        GlobalAveragePool.self,
        GlobalMaxPool.self,
        Greater.self,
        GreaterOrEqual.self,
        HardSigmoid.self,
        HardSwish.self,
        Identity.self,
        LeakyRelu.self,
        Less.self,
        LessOrEqual.self,
        Log.self,
        LogSoftmax.self,
        LRN.self,
        MatMul.self,
        Max.self,
        MaxPool.self,
        Mean.self,
        Min.self,
        Mish.self,
        Mul.self,
        Neg.self,
        Not.self,
        Or.self,
        Pad.self,
        Pow.self,
        Reciprocal.self,
        Relu.self,
        Reshape.self,
        ShapeOperator.self,
        Sigmoid.self,
        Size.self,
        Softmax.self,
        Softplus.self,
        Softsign.self,
        Sqrt.self,
        Squeeze.self,
        Sub.self,
        Sum.self,
        Tanh.self,
        Transpose.self,
        Unsqueeze.self,
        Xor.self,
    ]

    /// The newest version of ONNX's default domain whose operators are known.
    package static let newestOpset = 22

    private static let byName: [String: any Operator.Type] = Dictionary(
        all.map { ("\($0.domain):\($0.name)", $0) }, uniquingKeysWith: { first, _ in first })

    /// The operator called `name`, when Apus knows it.
    package static func find(_ name: String, domain: String = "") -> (any Operator.Type)? {
        byName["\(domain == "ai.onnx" ? "" : domain):\(name)"]
    }
}
