import Tensors

extension GraphBuilder.Value {
    /// The largest element under a window that slides over each channel of an image.
    ///
    /// - Parameters:
    ///   - kernel: The window's extents.
    ///   - stride: The distance between the starts of adjacent windows.
    ///   - padding: The distance by which windows may extend over the edges; nothing there is ever the largest.
    ///   - ceilMode: Whether a last window that is only partly inside the padded image counts.
    public func maxPool(
        _ kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid, ceilMode: Bool = false
    ) -> Self {
        do {
            var operation = MaxPool(kernel: kernel.list)
            operation.window = try SpatialWindow(kernel: kernel, stride: stride, padding: padding, ceilMode: ceilMode)
            return builder.append(operation, kind: "maxPool", [self])
        } catch {
            return builder.refuse(MaxPool.name, kind: "maxPool", error.description, after: self)
        }
    }

    /// The mean of the elements under a window that slides over each channel of an image.
    ///
    /// - Parameters:
    ///   - kernel: The window's extents.
    ///   - stride: The distance between the starts of adjacent windows.
    ///   - padding: The distance by which windows may extend over the edges.
    ///   - ceilMode: Whether a last window that is only partly inside the padded image counts.
    ///   - countingPadding: Whether the padding counts as zeros; otherwise only elements of the image do.
    public func averagePool(
        _ kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid, ceilMode: Bool = false,
        countingPadding: Bool = false
    ) -> Self {
        do {
            var operation = AveragePool(kernel: kernel.list, countIncludePad: countingPadding)
            operation.window = try SpatialWindow(kernel: kernel, stride: stride, padding: padding, ceilMode: ceilMode)
            return builder.append(operation, kind: "averagePool", [self])
        } catch {
            return builder.refuse(AveragePool.name, kind: "averagePool", error.description, after: self)
        }
    }

    /// The mean of each channel: `[N, C, H, W]` → `[N, C, 1, 1]`.
    public func globalAveragePool() -> Self {
        builder.append(GlobalAveragePool(), kind: "globalAveragePool", [self])
    }

    /// The largest element of each channel: `[N, C, H, W]` → `[N, C, 1, 1]`.
    public func globalMaxPool() -> Self {
        builder.append(GlobalMaxPool(), kind: "globalMaxPool", [self])
    }
}
