import FoundationEssentials

/// How well found objects agree with those that people marked, by COCO's rules.
///
///     let truth = try COCOGroundTruth(contentsOf: "instances_val2017.json")
///     let evaluation = try DetectionEvaluation(of: COCOResults(contentsOf: "results.json"), against: truth)
///     print(evaluation.averagePrecision ?? 0)
///
/// An object that is found matches a marked one of its class when they overlap enough: intersection ÷ union of boxes or
/// masks, or the similarity of points. The precision for a recall is the highest one at this recall or a higher one;
/// the average precision is its mean over the recalls 0, 0.01, … 1. Figures without a threshold are means over the
/// thresholds 0.5, 0.55, … 0.95, and over the classes that have marked objects.
///
/// Marked crowds, and objects whose area lies outside of a figure's range, are neither missed nor found.
///
/// Source: https://cocodataset.org/#detection-eval
public struct DetectionEvaluation: Sendable {
    /// What is compared.
    public enum Kind: String, Sendable, CaseIterable {
        /// The boxes of objects.
        case boxes
        /// The pixels of objects.
        case masks
        /// The named points of objects, by COCO's similarity of points (OKS).
        case keypoints
    }

    /// One of COCO's figures.
    public struct Figure: Sendable, Equatable {
        /// The name, such as `AP`, `AP50`, `APsmall` or `AR100`.
        public let name: String
        /// The meaning in a few words.
        public let meaning: String
        /// The share from 0 to 1; nil where no marked object belongs to the figure.
        public let value: Double?
    }

    /// The figures of a class.
    public struct ClassResult: Sendable, Equatable {
        /// The class's number in `category_id`.
        public let category: Int
        /// The class's name.
        public let name: String
        /// The number of marked objects, without crowds.
        public let objectCount: Int
        /// The number of results.
        public let resultCount: Int
        /// The average precision over all thresholds; nil without marked objects.
        public let averagePrecision: Double?
        /// The average precision at a threshold of 0.5.
        public let averagePrecision50: Double?
        /// The average recall over all thresholds.
        public let averageRecall: Double?
        /// The precision at a threshold of 0.5 for the recalls 0, 0.01, … 1; empty without marked objects.
        public let precisions: [Double]
    }

    /// The mistakes in a picture, at a threshold of 0.5.
    public struct PictureResult: Sendable, Equatable {
        /// The picture's number in `image_id`.
        public let picture: Int
        /// The name of its file; nil when not given.
        public let fileName: String?
        /// The number of marked objects that were found.
        public let foundCount: Int
        /// The number of marked objects that were not found.
        public let missedCount: Int
        /// The number of results with a confidence of at least 0.5 that match no marked object.
        public let wrongCount: Int
    }

    /// What was compared.
    public let kind: Kind
    /// The number of pictures.
    public let pictureCount: Int
    /// The number of marked objects, without crowds.
    public let objectCount: Int
    /// The number of results of known classes.
    public let resultCount: Int
    /// The number of results whose class the ground truth does not have. No figure includes them.
    public let unknownClassCount: Int
    /// COCO's figures, in its order.
    public let figures: [Figure]
    /// The classes, by their numbers.
    public let classes: [ClassResult]
    /// The pictures with the most mistakes, those with the most first.
    public let worstPictures: [PictureResult]

    /// The number of pictures that could not be predicted; nothing is found in them.
    public internal(set) var failedCount = 0
    /// The number of pictures of a dataset that the ground truth does not have. No figure includes them.
    public internal(set) var unmarkedCount = 0
    /// The number of pictures of the ground truth that the dataset does not have. No figure includes them.
    public internal(set) var absentCount = 0
    /// Small copies of ``worstPictures`` as JPEG files, by the pictures' ids.
    package internal(set) var thumbnails: [Int: Data] = [:]

    /// The first figure, AP.
    public var averagePrecision: Double? { figures.first?.value }

    /// A figure by its name.
    public func figure(_ name: String) -> Double? { figures.first { $0.name == name }?.value }
}
