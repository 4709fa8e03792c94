/// The thresholds and ranges of COCO's evaluation.
struct COCORules: Sendable {
    /// A range of areas in pixels².
    struct Areas: Sendable {
        let name: String
        let range: ClosedRange<Double>
    }

    /// The overlaps from which a result matches: 0.5, 0.55, … 0.95.
    static let thresholds: [Double] = (0..<9).map { (index: Int) -> Double in 0.5 + Double(index) * step } + [0.95]
    /// The recalls at which the precision is taken: 0, 0.01, … 1.
    static let recalls: [Double] = (0..<100).map { (index: Int) -> Double in Double(index) * 0.01 } + [1]

    private static let step: Double = (0.95 - 0.5) / 9

    private static let small = Areas(name: "small", range: 0...1024)
    private static let medium = Areas(name: "medium", range: 1024...9216)
    private static let large = Areas(name: "large", range: 9216...1e10)
    private static let all = Areas(name: "", range: 0...1e10)

    /// The ranges of areas; the first has all.
    let areas: [Areas]
    /// The numbers of results in a picture and of a class that are counted, rising.
    let limits: [Int]

    init(_ kind: DetectionEvaluation.Kind) {
        let isPoints = kind == .keypoints
        areas = isPoints ? [Self.all, Self.medium, Self.large] : [Self.all, Self.small, Self.medium, Self.large]
        limits = isPoints ? [20] : [1, 10, 100]
    }

    /// How far the points of a person may lie from the marked ones, for each of COCO's 17 points.
    static let pointScales: [Double] = [
        0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89,
    ].map { (scale: Double) -> Double in scale / 10 }
}
