extension Preprocessing {
    /// The steps that lead to another size in the same way.
    ///
    /// Borders and crops stay, and a resize before a crop changes in proportion to the crop's shorter edge.
    package func leading(to size: ImageSize) -> Preprocessing {
        var steps = self
        steps.borderMultiple = 1
        if let crop {
            let before = min(crop.width, crop.height)
            func scaled(_ edge: Int) -> Int { max(1, edge * min(size.width, size.height) / max(1, before)) }
            steps.crop = size
            switch resizing {
            case .shortestEdge(let edge, let longest):
                steps.resizing = .shortestEdge(scaled(edge), longestEdge: longest.map(scaled))
            case .exact(let old):
                steps.resizing = .exact(ImageSize(width: scaled(old.width), height: scaled(old.height)))
            case .covering: steps.resizing = .covering(size)
            case .middleSquare: steps.resizing = .middleSquare(size)
            case .none, .within, .nearest, .letterbox, .line, .limited: break
            }
            return steps
        }
        switch resizing {
        case .letterbox(_, let color, let letterbox):
            steps.setResizing(.fit, to: size, color: color, letterbox: letterbox)
        case .middleSquare: steps.setResizing(.squareCrop, to: size)
        case .line:
            steps.resizing = .line(
                Line(height: size.height, minimumWidth: size.width, maximumWidth: size.width))
        case .none, .exact, .shortestEdge, .within, .nearest, .covering, .limited: steps.setResizing(.fill, to: size)
        }
        steps.squareBorder = squareBorder
        return steps
    }
}
