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
            var resize = Resize(interpolation: Interpolation(mode: .nearest, coordinates: .asymmetric, nearest: .floor))
            resize.hasOnlyScales = true
            return builder.append(
                resize, kind: "upsample", [self], constants: [GraphBuilder.Constant(suffix: "scales", content: scales)])
        } catch {
            return builder.refuse(Resize.name, kind: "upsample", error.description, after: self)
        }
    }
}
