/// Layers that compute with the elements of whole values.
extension LayerKind {
    static let arithmeticKinds = [
        LayerKind(220, "unary", unary),
        LayerKind(230, "add", folding("Add", alphaName: "Add")),
        LayerKind(231, "multiply", folding("Mul", alphaName: "Mul")),
        LayerKind(240, "average", folding("Mean")),
        LayerKind(245, "scale", scale),
        LayerKind(250, "bias", bias),
        LayerKind(260, "max", folding("Max")),
        LayerKind(261, "min", folding("Min")),
        LayerKind(270, "dot", dotProduct),
        LayerKind(280, "reduce", reduce),
        LayerKind(290, "loadConstant", loadConstant),
    ]

    static let rearrangingKinds = [
        LayerKind(300, "reshape", reshape),
        LayerKind(301, "flatten", flatten),
        LayerKind(310, "permute", permute),
        LayerKind(320, "concat", concat),
        LayerKind(330, "split", split),
        LayerKind(340, "sequenceRepeat", sequenceRepeat),
        LayerKind(345, "reorganizeData", reorganize),
        LayerKind(350, "slice", slice),
    ]
}
