import Graphs
import Images
import Platform

/// The content of a `NAME.postprocess.json`.
struct SidecarFile: Codable {
    struct Problem: Error {
        let message: String

        init(_ key: Key, _ message: String) { self.message = "\"\(key.rawValue)\" \(message)" }
        init(_ message: String) { self.message = message }
    }

    enum Key: String, CodingKey, CaseIterable {
        case task, decoder, labels, strides, anchors
        case confidence = "confidence_threshold"
        case intersectionOverUnion = "iou_threshold"
        case isClassAgnostic = "class_agnostic"
        case maximumCount = "max_objects"
        case boxFormat = "box_format"
        case boxUnits = "box_units"
        case classOffset = "class_offset"
        case categoryIDs = "category_ids"
        case inputSize = "input_size"
        case boxOutputs = "box_outputs"
        case keypoints, skeleton
        case pointUnits = "point_units"
    }

    typealias CodingKeys = Key

    struct Size: Codable {
        let width: Int
        let height: Int
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    let task: String?
    let decoder: String?
    let confidence: Float?
    let intersectionOverUnion: Float?
    let isClassAgnostic: Bool?
    let maximumCount: Int?
    let labels: [String]?
    let strides: [Int]?
    let anchors: [[[Float]]]?
    let boxFormat: String?
    let boxUnits: String?
    let classOffset: Int?
    let categoryIDs: [Int]?
    let inputSize: Size?
    let boxOutputs: DetectionConfiguration.BoxOutputs?
    let keypoints: [String]?
    let skeleton: [[Int]]?
    let pointUnits: String?

    /// Makes the file for a configuration, without its labels.
    init(_ configuration: DetectionConfiguration) {
        task = configuration.task?.rawValue
        decoder = configuration.decoder
        confidence = configuration.givenConfidence
        let suppression = configuration.suppression
        intersectionOverUnion = suppression.isThresholdGiven ? suppression.threshold : nil
        isClassAgnostic = configuration.suppression.isClassAgnostic
        maximumCount = configuration.suppression.maximumCount
        labels = nil
        strides = configuration.strides
        anchors = configuration.anchors
        boxFormat = configuration.boxFormat?.rawValue
        boxUnits = configuration.boxUnits?.rawValue
        classOffset = configuration.classOffset
        categoryIDs = configuration.categoryIDs
        inputSize = configuration.inputSize.map { Size(width: $0.width, height: $0.height) }
        boxOutputs = configuration.boxOutputs
        keypoints = configuration.keypointNames
        skeleton = configuration.skeleton
        pointUnits = configuration.pointUnits?.rawValue
    }

    init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where Key(rawValue: key.stringValue) == nil {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem("\"\(key.stringValue.printable)\" is no key; the keys are \(known)")
        }
        let values = try decoder.container(keyedBy: Key.self)
        func value<Value: Decodable>(_ key: Key) throws -> Value? {
            try values.decodeIfPresent(Value.self, forKey: key)
        }
        task = try value(.task)
        self.decoder = try value(.decoder)
        confidence = try value(.confidence)
        intersectionOverUnion = try value(.intersectionOverUnion)
        isClassAgnostic = try value(.isClassAgnostic)
        maximumCount = try value(.maximumCount)
        labels = try value(.labels)
        strides = try value(.strides)
        anchors = try value(.anchors)
        boxFormat = try value(.boxFormat)
        boxUnits = try value(.boxUnits)
        classOffset = try value(.classOffset)
        categoryIDs = try value(.categoryIDs)
        inputSize = try value(.inputSize)
        boxOutputs = try value(.boxOutputs)
        keypoints = try value(.keypoints)
        skeleton = try value(.skeleton)
        pointUnits = try value(.pointUnits)
    }
}

extension DetectionConfiguration {
    /// The maximum number of classes, anchors or strides that a file may list.
    private static let maximumEntryCount = 100_000

    init(_ file: SidecarFile) throws {
        if let name = file.task {
            guard let task = VisionTask(rawValue: name) else {
                let names = Catalog.taskNames.joined(separator: ", ")
                throw SidecarFile.Problem(.task, "must be one of \(names), not \"\(name.printable)\"")
            }
            self.task = task
        }
        if let name = file.decoder {
            let known = Catalog.decoderNames + Catalog.pointDecoderNames
            guard known.contains(name) else {
                let names = known.joined(separator: ", ")
                throw SidecarFile.Problem(.decoder, "must be one of \(names), not \"\(name.printable)\"")
            }
            decoder = name
        }
        if let value = file.confidence {
            guard (0...1).contains(value) else { throw SidecarFile.Problem(.confidence, "must lie between 0 and 1") }
            (minimumConfidence, isConfidenceGiven) = (value, true)
        }
        if let value = file.intersectionOverUnion {
            guard (0...1).contains(value) else {
                throw SidecarFile.Problem(.intersectionOverUnion, "must lie between 0 and 1")
            }
            suppression.threshold = value
        }
        suppression.isClassAgnostic = file.isClassAgnostic ?? false
        if let count = file.maximumCount {
            guard (1...Self.maximumEntryCount).contains(count) else {
                throw SidecarFile.Problem(.maximumCount, "must lie between 1 and \(Self.maximumEntryCount)")
            }
            suppression.maximumCount = count
        }
        labels = file.labels.map { Labels($0) }
        if let strides = file.strides {
            guard (1...16).contains(strides.count), strides.allSatisfy({ (1...65_536).contains($0) }) else {
                throw SidecarFile.Problem(.strides, "must be 1 to 16 numbers between 1 and 65,536")
            }
            self.strides = strides
        }
        if let anchors = file.anchors {
            guard (1...16).contains(anchors.count),
                anchors.allSatisfy({ head in
                    (1...64).contains(head.count)
                        && head.allSatisfy { $0.count == 2 && $0.allSatisfy { $0.isFinite && $0 > 0 } }
                })
            else { throw SidecarFile.Problem(.anchors, "must hold a list of [width, height] for every head") }
            self.anchors = anchors
        }
        if let name = file.boxFormat {
            guard let format = BoxFormat(rawValue: name) else {
                throw SidecarFile.Problem(.boxFormat, "must be ltrb, tlbr or cxcywh")
            }
            boxFormat = format
        }
        if let name = file.boxUnits {
            guard let units = BoxUnits(rawValue: name) else {
                throw SidecarFile.Problem(.boxUnits, "must be normalized or pixels")
            }
            boxUnits = units
        }
        if let offset = file.classOffset {
            guard (0...1000).contains(offset) else {
                throw SidecarFile.Problem(.classOffset, "must lie between 0 and 1000")
            }
            classOffset = offset
        }
        categoryIDs = file.categoryIDs
        if let size = file.inputSize {
            guard [size.width, size.height].allSatisfy({ (1...1 << 14).contains($0) }) else {
                throw SidecarFile.Problem(.inputSize, "must have a width and a height between 1 and \(1 << 14)")
            }
            inputSize = ImageSize(width: size.width, height: size.height)
        }
        boxOutputs = file.boxOutputs
        if let names = file.keypoints {
            guard (1...Self.maximumEntryCount).contains(names.count) else {
                throw SidecarFile.Problem(.keypoints, "must be 1 to \(Self.maximumEntryCount) names")
            }
            keypointNames = names
        }
        if let pairs = file.skeleton {
            guard pairs.count <= Self.maximumEntryCount,
                pairs.allSatisfy({ $0.count == 2 && $0.allSatisfy { (0..<Self.maximumEntryCount).contains($0) } })
            else { throw SidecarFile.Problem(.skeleton, "must be a list of pairs of positions of points, from 0") }
            skeleton = pairs
        }
        if let name = file.pointUnits {
            guard let units = BoxUnits(rawValue: name) else {
                throw SidecarFile.Problem(.pointUnits, "must be normalized or pixels")
            }
            pointUnits = units
        }
    }
}
