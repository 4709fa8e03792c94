// The operators at which rewrites begin: those that the first condition of each `visit` names.

extension DropDropout {
    package static var visited: [any Operator.Type]? { [Dropout.self] }
}

extension DropIdentity {
    package static var visited: [any Operator.Type]? {
        [Identity.self, Concat.self, Sum.self, Cast.self, Mul.self, Div.self]
    }
}

extension DropNoOpPad {
    package static var visited: [any Operator.Type]? { [Pad.self] }
}

extension DropNoOpReshape {
    package static var visited: [any Operator.Type]? { [Reshape.self, Flatten.self, Squeeze.self, Unsqueeze.self] }
}

extension DropNoOpTranspose {
    package static var visited: [any Operator.Type]? { [Transpose.self] }
}

extension DropPaddedTaps {
    package static var visited: [any Operator.Type]? { [Conv.self] }
}

extension FoldBatchNormalization {
    package static var visited: [any Operator.Type]? { [BatchNormalization.self] }
}

extension FoldIntoNextConvolution {
    package static var visited: [any Operator.Type]? { [Conv.self] }
}

extension FoldIntoNextProduct {
    package static var visited: [any Operator.Type]? { [MatMul.self] }
}

extension FoldScaleAndShift {
    package static var visited: [any Operator.Type]? { [Mul.self, Div.self, Add.self, Sub.self] }
}

extension FuseActivation {
    package static var visited: [any Operator.Type]? { [Relu.self, LeakyRelu.self, Clip.self] }
}

extension FuseAddend {
    package static var visited: [any Operator.Type]? { [Add.self] }
}

extension FuseAttention {
    package static var visited: [any Operator.Type]? { [MatMul.self, Attention.self, Transpose.self] }
}

extension FuseBias {
    package static var visited: [any Operator.Type]? { [Add.self] }
}

extension FuseLayerNormalization {
    package static var visited: [any Operator.Type]? { [Div.self, Mul.self, Add.self] }
}

extension FuseNarrowProductAddend {
    package static var visited: [any Operator.Type]? { [Add.self] }
}

extension FuseProductAddend {
    package static var visited: [any Operator.Type]? { [Add.self] }
}

extension FuseProductBias {
    package static var visited: [any Operator.Type]? { [Add.self, Mul.self] }
}

extension MergeAddedConvolutions {
    package static var visited: [any Operator.Type]? { [Add.self, Sub.self] }
}

extension MoveReshape {
    package static var visited: [any Operator.Type]? { [Add.self, Sub.self, Mul.self, Div.self] }
}

extension MoveTranspose {
    package static var visited: [any Operator.Type]? { [Add.self, Mul.self] }
}

extension ReplaceBatchNormalization {
    package static var visited: [any Operator.Type]? { [BatchNormalization.self] }
}

extension ReplaceConvTranspose {
    package static var visited: [any Operator.Type]? { [ConvTranspose.self] }
}

extension ReplaceEinsumByMatMul {
    package static var visited: [any Operator.Type]? { [Einsum.self] }
}

extension ReplaceGemmByMatMul {
    package static var visited: [any Operator.Type]? { [Reshape.self] }
}

extension ReplaceMatMulByConv {
    package static var visited: [any Operator.Type]? { [Transpose.self] }
}

extension ReplaceSumByAdd {
    package static var visited: [any Operator.Type]? { [Sum.self] }
}

extension FuseIntegerConvolution {
    package static var visited: [any Operator.Type]? { [Mul.self, Add.self] }
}

extension UseExactFloats {
    package static var visited: [any Operator.Type]? { [Cast.self] }
}

extension UseGlobalAveragePool {
    package static var visited: [any Operator.Type]? { [ReduceMean.self] }
}
