import Datasets
import Images
import Platform
import Predicting

/// How well depths agree with measured ones.
///
/// Figures are means over the pictures of means over a picture's pixels, where `d` is the true depth and `p` the
/// predicted one. Pixels of unknown depth, and those that the network did not see, are left out.
public struct DepthEvaluation: Sendable {
    /// How the numbers of a network become depths, picture by picture, before they are compared.
    public enum Alignment: String, Sendable, CaseIterable {
        /// They are depths in the unit of the true ones.
        case none
        /// They are multiplied so that their median is that of the true ones.
        case median
        /// They are multiplied and shifted so that the sum of squared differences is least.
        case leastSquares = "least-squares"
    }

    /// What the numbers of a network mean.
    public struct Options: Sendable {
        /// How the numbers become depths.
        public var alignment: Alignment
        /// Whether the numbers are inverse depths, larger where things are nearer. They are aligned with 1 ÷ d.
        public var isInverse: Bool
        /// The largest depth that is compared; deeper predictions become this one. Nil for the largest of each picture.
        public var maximumDepth: Double?

        /// Makes options.
        public init(alignment: Alignment = .none, isInverse: Bool = false, maximumDepth: Double? = nil) {
            (self.alignment, self.isInverse, self.maximumDepth) = (alignment, isInverse, maximumDepth)
        }
    }

    /// The options.
    public let options: Options
    /// The number of pictures that were compared.
    public private(set) var pictureCount = 0
    /// The number of pixels that were compared.
    public private(set) var pixelCount = 0
    /// The number of pictures without an answer. No figure includes them.
    public internal(set) var failedCount = 0
    /// The number of pictures without true depths. No figure includes them.
    public internal(set) var unmarkedCount = 0
    private var sums = (relative: 0.0, root: 0.0, within: [0.0, 0, 0])

    /// Makes an evaluation of no pictures.
    public init(options: Options = Options()) {
        self.options = options
    }

    /// The mean of |p − d| ÷ d; nil without pictures.
    public var absoluteRelativeError: Double? { mean(sums.relative) }

    /// The mean over pictures of √(mean of (p − d)²), in the unit of the true depths; nil without pictures.
    public var rootMeanSquareError: Double? { mean(sums.root) }

    /// The shares of pixels whose ratio p ÷ d or d ÷ p, whichever is larger, is below 1.25, 1.25² and 1.25³; nil
    /// without pictures.
    public var sharesWithin: [Double]? { pictureCount > 0 ? sums.within.map { $0 / Double(pictureCount) } : nil }

    private func mean(_ sum: Double) -> Double? { pictureCount > 0 ? sum / Double(pictureCount) : nil }

    /// Adds a picture.
    ///
    /// - Parameters:
    ///   - predicted: The network's number for each pixel; not finite where it saw none.
    ///   - actual: The true depth of each pixel, in the same order; 0, or not finite, where it is not known.
    /// - Returns: Whether any pixel could be compared. A picture without one is not counted.
    @discardableResult
    public mutating func add(predicted: [Float], actual: [Float]) -> Bool {
        var pairs: [(predicted: Double, actual: Double)] = []
        for (number, depth) in zip(predicted, actual)
        where number.isFinite && depth.isFinite && depth > 0 && Double(depth) <= options.maximumDepth ?? .infinity {
            pairs.append((Double(number), Double(depth)))
        }
        guard let deepest = pairs.map(\.actual).max() else { return false }
        let limit = options.maximumDepth ?? deepest
        let aligned = align(pairs)
        var (relative, square, within) = (0.0, 0.0, [0.0, 0, 0])
        for (number, pair) in zip(aligned, pairs) {
            // An inverse that is not positive lies beyond every depth.
            let depth = min(options.isInverse ? (number > 0 ? 1 / number : limit) : number, limit)
            let difference = depth - pair.actual
            relative += abs(difference) / pair.actual
            square += difference * difference
            guard depth > 0 else { continue }
            let ratio = max(depth / pair.actual, pair.actual / depth)
            for (index, bound) in [1.25, 1.5625, 1.953125].enumerated() where ratio < bound { within[index] += 1 }
        }
        let count = Double(pairs.count)
        sums.relative += relative / count
        sums.root += (square / count).squareRoot()
        for index in within.indices { sums.within[index] += within[index] / count }
        pixelCount += pairs.count
        pictureCount += 1
        return true
    }

    /// The predicted numbers, aligned with the true depths, or with their inverses.
    private func align(_ pairs: [(predicted: Double, actual: Double)]) -> [Double] {
        let numbers = pairs.map(\.predicted)
        let targets = options.isInverse ? pairs.map { 1 / $0.actual } : pairs.map(\.actual)
        switch options.alignment {
        case .none: return numbers
        case .median:
            let middle = Self.median(numbers)
            guard middle != 0 else { return numbers }
            let factor = Self.median(targets) / middle
            return numbers.map { $0 * factor }
        case .leastSquares:
            // The means are taken off first, so that sums of squares keep their digits.
            let count = Double(numbers.count)
            let (number, target) = (numbers.reduce(0, +) / count, targets.reduce(0, +) / count)
            var (covariance, variance) = (0.0, 0.0)
            for (each, other) in zip(numbers, targets) {
                covariance += (each - number) * (other - target)
                variance += (each - number) * (each - number)
            }
            let factor = variance > 0 ? covariance / variance : 0
            return numbers.map { target + factor * ($0 - number) }
        }
    }

    /// The number in the middle; of an even count the mean of the two in the middle.
    private static func median(_ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

// Computed figures are written too; they are null when nothing was counted.

extension DepthEvaluation: Encodable {
    private enum Key: String, CodingKey {
        case pictures, failed, unmarked, pixels, alignment, inverse, absoluteRelativeError, rootMeanSquareError
        case sharesWithin
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(pictureCount, forKey: .pictures)
        try container.encode(failedCount, forKey: .failed)
        try container.encode(unmarkedCount, forKey: .unmarked)
        try container.encode(pixelCount, forKey: .pixels)
        try container.encode(options.alignment.rawValue, forKey: .alignment)
        try container.encode(options.isInverse, forKey: .inverse)
        try container.encode(absoluteRelativeError, forKey: .absoluteRelativeError)
        try container.encode(rootMeanSquareError, forKey: .rootMeanSquareError)
        try container.encode(sharesWithin, forKey: .sharesWithin)
    }
}

extension DepthEstimator {
    /// Predicts every picture of a dataset of which the true depths are known, and compares them.
    ///
    /// The depths of a picture are a PNG file of grey with up to 16 bits, or an array [height, width] of NumPy, in a
    /// folder: `depths/street.png` or `depths/street.npy` for `photos/street.jpg`, also in subfolders of these names.
    ///
    /// - Parameters:
    ///   - folder: The folder of true depths.
    ///   - unit: How many of the files' numbers make one unit of depth: 1000 for files in millimeters to compare
    ///     meters.
    ///   - depth: What the network's numbers mean.
    ///   - progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when the depths of no picture are known;
    ///   ``ApusError/file(path:message:)`` when a file cannot be read, or has another size than its picture; otherwise
    ///   the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, depths folder: String, unit: Double = 1, depth: DepthEvaluation.Options,
        options: EvaluationOptions = EvaluationOptions(), progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DepthEvaluation {
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in
            TruthFile(of: record.id, in: folder, fileExtensions: [".npy", ".png"])
        }
        var evaluation = DepthEvaluation(options: depth)
        var (done, failed, unmarked) = (0, 0, 0)
        for try await record in BatchRunner(self, options: .init(batch: options.batch)).predictions(over: marked) {
            let truth = try marked.takeFirst().truth
            done += 1
            switch record.depth {
            case .failure: failed += 1
            case .success(let map):
                let (predicted, actual) = try await pictures.executor.run {
                    (map.values.elements(as: Float.self), try truth.depths(of: map.imageSize, unit: unit))
                }
                if !evaluation.add(predicted: predicted, actual: actual) { unmarked += 1 }
            }
            progress(RunProgress(total: nil, succeeded: done - failed, failed: failed, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage(
                "\(folder): has no depths of any picture; names must agree, as a.png or a.npy for a.jpg")
        }
        (evaluation.failedCount, evaluation.unmarkedCount) = (failed, marked.unmarkedCount + unmarked)
        return evaluation
    }
}
