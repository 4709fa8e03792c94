extension Preprocessing {
    /// Checks every property.
    ///
    /// - Throws: ``PreprocessingError/invalid(key:reason:)`` naming the first property that is not valid.
    public func validate() throws(PreprocessingError) {
        switch resizing {
        case .none: break
        case .exact(let size), .within(let size), .covering(let size), .letterbox(let size, _, _),
            .middleSquare(let size):
            try Self.check(size, "size")
        case .nearest(let size, let multiple):
            try Self.check(size, "size")
            try Self.check(ImageSize(width: multiple, height: multiple), "ensure_multiple_of")
        case .shortestEdge(let shortest, let longest):
            try Self.check(ImageSize(width: shortest, height: longest ?? shortest), "size")
        case .line(let line):
            try Self.check(ImageSize(width: line.minimumWidth, height: line.height), "size")
            guard line.maximumWidth.map({ (line.minimumWidth...Self.maximumEdge).contains($0) }) ?? true else {
                throw .invalid(key: "size", reason: "has a maximum below its minimum, or beyond \(Self.maximumEdge)")
            }
        case .limited(let limit):
            try Self.check(ImageSize(width: limit.length, height: limit.multiple), "size")
        }
        if let crop { try Self.check(crop, "crop_size") }
        if let padding { try Self.check(padding, "pad_size") }
        guard (1...Self.maximumEdge).contains(borderMultiple) else {
            throw .invalid(
                key: "borderMultiple", reason: "must lie between 1 and \(Self.maximumEdge), not \(borderMultiple)")
        }
        if let jpegQuality, !(1...100).contains(jpegQuality) {
            throw .invalid(key: "jpegQuality", reason: "must lie between 1 and 100, not \(jpegQuality)")
        }
        guard scale.isFinite else { throw .invalid(key: "rescale_factor", reason: "is not a finite number") }
        try check(mean, "image_mean")
        try check(standardDeviation, "image_std")
        guard !standardDeviation.contains(0) else {
            throw .invalid(key: "image_std", reason: "contains 0, which nothing can be divided by")
        }
    }

    private static func check(_ size: ImageSize, _ key: String) throws(PreprocessingError) {
        for edge in [size.width, size.height] where !(1...maximumEdge).contains(edge) {
            throw .invalid(key: key, reason: "must lie between 1 and \(maximumEdge), not \(edge)")
        }
    }

    private func check(_ values: [Float], _ key: String) throws(PreprocessingError) {
        let channelCount = channelOrder.channelCount
        guard values.count == 1 || values.count == channelCount else {
            let choices = channelCount == 1 ? "1 number" : "1 or \(channelCount) numbers"
            throw .invalid(key: key, reason: "must have \(choices), not \(values.count)")
        }
        guard values.allSatisfy(\.isFinite) else { throw .invalid(key: key, reason: "has a number that is not finite") }
    }
}
