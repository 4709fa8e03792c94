import Tensors

extension GraphBuilder.Value {
    /// The image, enlarged by repeating every element: `[N, C, H, W]` → `[N, C, factor · H, factor · W]`.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a factor below 1.
    public func upsample(_ factor: Int) -> Self {
        guard factor >= 1 else {
            return builder.refuse(Resize.name, kind: "upsample", "the factor is \(factor)", after: self)
        }
        do {
            let scales = try Tensor([1, 1, Float(factor), Float(factor)], shape: [4])
            let resize = Resize(interpolation: Interpolation(mode: .nearest, coordinates: .asymmetric, nearest: .floor))
            let constant = GraphBuilder.Constant(suffix: "scales", content: scales, position: 2)
            return builder.append(resize, kind: "upsample", [self], constants: [constant])
        } catch {
            return builder.refuse(Resize.name, kind: "upsample", error.description, after: self)
        }
    }
}
