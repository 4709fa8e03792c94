import Graphs

/// Layers that compute elementwise or over whole values.
extension LayerKind {
    static let arithmeticKinds = [
        LayerKind(.unary, unary),
        LayerKind(.add, folding(Add(), acceptsNumber: true)),
        LayerKind(.multiply, folding(Mul(), acceptsNumber: true)),
        LayerKind(.average, folding(Mean())),
        LayerKind(.scale, scale),
        LayerKind(.bias, bias),
        LayerKind(.max, folding(Max())),
        LayerKind(.min, folding(Min())),
        LayerKind(.dot, dotProduct),
        LayerKind(.reduce, reduce),
        LayerKind(.loadConstant, loadConstant),
    ]

    static let rearrangingKinds = [
        LayerKind(.reshape, reshape),
        LayerKind(.flatten, flatten),
        LayerKind(.permute, permute),
        LayerKind(.concat, concat),
        LayerKind(.split, split),
        LayerKind(.sequenceRepeat, sequenceRepeat),
        LayerKind(.reorganizeData, reorganize),
        LayerKind(.slice, slice),
    ]
}
