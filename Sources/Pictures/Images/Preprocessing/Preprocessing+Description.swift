extension Preprocessing: CustomStringConvertible {
    /// The steps on one line, in their order. Preprocessings with different steps have different descriptions.
    public var description: String {
        var steps: [String] = []
        switch resizing {
        case .none: break
        case .exact(let size): steps.append("resize to \(size)")
        case .shortestEdge(let edge, let longest):
            let limit = longest.map { ", the long one to at most \($0)" } ?? ""
            let rounding = longEdgeRounding == .down ? "" : ", rounded to the nearest"
            steps.append("resize the short edge to \(edge)\(limit)\(rounding)")
        case .within(let size): steps.append("resize within \(size)")
        case .nearest(let size, let multiple):
            steps.append("resize to the nearer edge of \(size), to multiples of \(multiple)")
        case .covering(let size): steps.append("resize to cover \(size)")
        case .middleSquare(let size): steps.append("resize the middle square to \(size)")
        case .letterbox(let size, let color, let letterbox):
            let family = letterbox == .pillow ? "" : " as \(letterbox.rawValue) does"
            steps.append(
                letterbox == .mediapipeFill
                    ? "resize to \(size) as mediapipe does"
                    : "fit into \(size)" + family + (color == .black ? "" : " on \(color)"))
        case .line(let line):
            let least = line.minimumWidth > 1 ? ", at least \(line.minimumWidth) wide" : ""
            let most = line.maximumWidth.map { ", at most \($0) wide" } ?? ""
            steps.append("resize to a height of \(line.height)\(least)\(most)")
        case .limited(let limit):
            steps.append(
                "resize the \(limit.side == .shortest ? "short edge to at least" : "long edge to at most") "
                    + "\(limit.length), both to multiples of \(limit.multiple)")
        }
        if !steps.isEmpty { steps[0] += " (\(filter.rawValue))" }
        if let border = squareBorder {
            let place = border.isCentered ? "around" : "at the right or below"
            steps.insert("border \(place) to a square" + (border.color == .black ? "" : " of \(border.color)"), at: 0)
        }
        if let crop {
            steps.append("crop to \(crop)" + (cropRounding == .down ? "" : " as \(cropRounding.rawValue) does"))
        }
        if borderMultiple > 1 { steps.append("border at the right and below to multiples of \(borderMultiple)") }
        if let jpegQuality { steps.append("compress as JPEG of quality \(jpegQuality)") }
        if dividesByMaximum { steps.append("divide by the maximum of the picture") }
        if scale != 1, !dividesByMaximum { steps.append("scale by \(scale)") }
        if mean != [0] { steps.append("mean \(mean)") }
        if standardDeviation != [1] { steps.append("std \(standardDeviation)") }
        if standardizesEachImage { steps.append("standardize each picture") }
        steps.append(channelOrder.rawValue)
        if let padding { steps.append("pad to \(padding)") }
        return steps.joined(separator: ", ")
    }
}

extension Preprocessing.Color: CustomStringConvertible {
    /// The color in CSS notation: `rgb(114 114 114)`.
    public var description: String { "rgb(\(red) \(green) \(blue))" }
}
