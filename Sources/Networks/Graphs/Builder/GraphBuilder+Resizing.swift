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

    /// The image, resized by linear interpolation along rows and columns: `[N, C, H, W]` → `[N, C, height, width]`.
    ///
    /// Elements are the middles of equal squares, so that an image keeps its edges.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a value that is not an image; an extent below 1.
    public func resize(height: Int, width: Int) -> Self {
        guard height >= 1, width >= 1, builder.extents(of: self)?.count == 4 else {
            return builder.refuse(
                Resize.name, kind: "resize", "cannot make an image of \(height) × \(width) elements", after: self)
        }
        do {
            let sizes = try Tensor([Int64(height), Int64(width)], shape: [2])
            let resize = Resize(interpolation: Interpolation(mode: .linear, coordinates: .halfPixel), axes: [2, 3])
            let constant = GraphBuilder.Constant(suffix: "sizes", content: sizes, position: 3)
            return builder.append(resize, kind: "resize", [self], constants: [constant])
        } catch {
            return builder.refuse(Resize.name, kind: "resize", error.description, after: self)
        }
    }
}
