import Apus

extension Preprocessing {
    /// The steps on one line, in their order.
    var summary: String {
        var steps: [String] = []
        switch resizing {
        case .none: break
        case .exact(let size): steps.append("resize to \(size)")
        case .shortestEdge(let edge, let longest):
            steps.append("resize the short edge to \(edge)" + (longest.map { ", the long one to at most \($0)" } ?? ""))
        case .within(let size): steps.append("resize within \(size)")
        case .covering(let size): steps.append("resize to cover \(size)")
        case .letterbox(let size, _): steps.append("fit into \(size)")
        }
        if !steps.isEmpty { steps[0] += " (\(filter.rawValue))" }
        if let crop { steps.append("crop to \(crop)") }
        if scale != 1 { steps.append("scale by \(scale)") }
        if mean != [0] { steps.append("mean \(mean)") }
        if standardDeviation != [1] { steps.append("std \(standardDeviation)") }
        steps.append(channelOrder.rawValue)
        if let padding { steps.append("pad to \(padding)") }
        return steps.joined(separator: ", ")
    }
}
