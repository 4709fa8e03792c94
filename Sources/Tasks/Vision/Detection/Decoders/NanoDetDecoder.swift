import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for NanoDet-Plus, whose edges are means of distributions of their distances from the corner of a cell.
///
/// Shape: `[1, cells, classes + 4 · bins]`, the finest of the grids with the strides 8, 16, 32 and 64 first. Grids have
/// one cell more where the stride does not divide the side. There are 8 bins, unless labels or 80 classes tell others.
///
///     edge = stride × (cell ± Σ bin · softmax(distribution)),  between 0 and the side
///
/// Each class of a cell that is likely enough is a box of its own.
/// Source: `NanoDetPlusHead` of https://github.com/RangiLyu/nanodet (`nanodet/model/head/nanodet_plus_head.py`)
package struct NanoDetDecoder: ObjectDecoder {
    package static let name = DecoderName.nanodet
    package static let summary = "[1, cells, classes + 4 · bins] for strides 8, 16, 32, 64: classes, distributions"
    package static var customaryConfidence: Float? { 0.35 }
    package static var customaryOverlap: Float? { 0.6 }

    private static let standardStrides = [8, 16, 32, 64]

    private let grids: NanoDetGrids

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        signature.head != .yolox && NanoDetGrids(signature, standardStrides, shift: 0) != nil
    }

    package static func isToldByHead(_ signature: DetectorSignature) -> Bool { signature.head == .nanodet }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        NanoDetGrids(signature, standardStrides, shift: 0)?.classCount
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        NanoDetGrids.preprocessing(to: size, .mediapipeFill)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let grids = NanoDetGrids(signature, configuration.strides ?? Self.standardStrides, shift: 0) else {
            throw Self.refusal(of: signature, "one output \(Self.summary)")
        }
        self.grids = grids
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        try grids.candidates(in: tensors, inputSize: inputSize, above: confidence, Self.self)
    }
}

/// The decoder for NanoDet before Plus: as ``NanoDetDecoder``, but with the strides 8, 16 and 32, and with distances
/// from the middle of a cell.
///
/// Shape: `[1, cells, classes + 4 · bins]`, which a network of YOLOX may have, too, so that the last operators tell it;
/// or six outputs, `[1, cells, classes]` for each stride and then `[1, cells, 4 · bins]` for each.
/// Source: `GFLHead` of https://github.com/RangiLyu/nanodet (`nanodet/model/head/gfl_head.py`)
package struct NanoDetV0Decoder: ObjectDecoder {
    package static let name = DecoderName.nanodetV0
    package static let summary = "[1, cells, classes + 4 · bins] for strides 8, 16, 32, or six outputs"
    package static var customaryConfidence: Float? { 0.35 }
    package static var customaryOverlap: Float? { 0.6 }

    private static let standardStrides = [8, 16, 32]

    private let grids: NanoDetGrids

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 6 || signature.head == .nanodet else { return false }
        return NanoDetGrids(signature, standardStrides, shift: 0.5) != nil
    }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == 6 && recognizes(signature)
    }

    package static func isToldByHead(_ signature: DetectorSignature) -> Bool { signature.head == .nanodet }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        NanoDetGrids(signature, standardStrides, shift: 0.5)?.classCount
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        NanoDetGrids.preprocessing(to: size, .mediapipe)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let grids = NanoDetGrids(signature, configuration.strides ?? Self.standardStrides, shift: 0.5) else {
            throw Self.refusal(of: signature, "outputs \(Self.summary)")
        }
        self.grids = grids
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        try grids.candidates(in: tensors, inputSize: inputSize, above: confidence, Self.self)
    }
}

/// The grids of a NanoDet.
private struct NanoDetGrids: Sendable {
    let classCount: Int
    private let binCount: Int
    private let strides: [Int]
    /// The place in a cell from which distances go.
    private let shift: Float

    /// - Returns: Nil where the outputs are others, or nothing tells the size of the input.
    init?(_ signature: DetectorSignature, _ strides: [Int], shift: Float) {
        (self.strides, self.shift) = (strides, shift)
        guard let size = signature.inputSize, !strides.isEmpty, strides.allSatisfy({ $0 > 0 }) else { return nil }
        func extent(_ position: Int, cells: Int) -> Int? {
            guard let shape = signature.outputs[position].shape, shape.count == 3, shape[1] == cells else { return nil }
            return shape[2]
        }
        if signature.outputs.count == 1 {
            let cells = strides.reduce(0) { $0 + Self.cellCount(size, $1) }
            guard let extent = extent(0, cells: cells),
                let bins = Self.binCount(extent: extent, labelCount: signature.labelCount)
            else { return nil }
            (classCount, binCount) = (extent - 4 * bins, bins)
            return
        }
        guard signature.outputs.count == 2 * strides.count,
            let classes = extent(0, cells: Self.cellCount(size, strides[0])), classes >= 1,
            let numbers = extent(strides.count, cells: Self.cellCount(size, strides[0])), numbers >= 8,
            numbers.isMultiple(of: 4)
        else { return nil }
        for (index, stride) in strides.enumerated() {
            let cells = Self.cellCount(size, stride)
            guard extent(index, cells: cells) == classes, extent(strides.count + index, cells: cells) == numbers else {
                return nil
            }
        }
        (classCount, binCount) = (classes, numbers / 4)
    }

    /// The number of bins of rows whose first numbers are classes.
    private static func binCount(extent: Int, labelCount: Int?) -> Int? {
        if let labelCount, labelCount >= 1, extent - labelCount >= 8, (extent - labelCount).isMultiple(of: 4) {
            return (extent - labelCount) / 4
        }
        // Networks with 80 classes have 8 or 11 bins.
        if extent == 80 + 4 * 11 { return 11 }
        return extent > 4 * 8 ? 8 : nil
    }

    private static func extents(_ size: ImageSize, _ stride: Int) -> (columns: Int, rows: Int) {
        func extent(_ side: Int) -> Int { side / stride + (side.isMultiple(of: stride) ? 0 : 1) }
        return (extent(size.width), extent(size.height))
    }

    private static func cellCount(_ size: ImageSize, _ stride: Int) -> Int {
        let (columns, rows) = extents(size, stride)
        return columns * rows
    }

    static func preprocessing(to size: ImageSize, _ letterbox: Preprocessing.Letterbox) -> Preprocessing {
        var steps = Preprocessing.letterboxed(to: size, as: letterbox, color: .black, scale: 1, .bgr)
        (steps.mean, steps.standardDeviation) = ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])
        return steps
    }

    /// The scores and the distributions of each grid, as rows of cells.
    private func rows(
        _ tensors: [Tensor], _ inputSize: ImageSize, _ decoder: any ObjectDecoder.Type
    ) throws(RecordError) -> [(scores: [Float], distributions: [Float])] {
        let counts = strides.map { Self.cellCount(inputSize, $0) }
        func numbers(_ position: Int, _ cells: Int, _ extent: Int) throws(RecordError) -> [Float] {
            guard tensors.indices.contains(position), tensors[position].shape == [1, cells, extent] else {
                let shape = tensors.indices.contains(position) ? tensors[position].shape : []
                throw decoder.mismatch("output \(position) is \(shape), not [1, \(cells), \(extent)]")
            }
            return try tensors[position].finiteElements()
        }
        var found: [(scores: [Float], distributions: [Float])] = []
        if tensors.count == 1 {
            let extent = classCount + 4 * binCount
            let all = try numbers(0, counts.reduce(0, +), extent)
            var start = 0
            for count in counts {
                let starts = (0..<count).map { (start + $0) * extent }
                found.append(
                    (
                        starts.flatMap { all[$0..<$0 + classCount] },
                        starts.flatMap { all[$0 + classCount..<$0 + extent] }
                    ))
                start += count
            }
            return found
        }
        for (index, count) in counts.enumerated() {
            found.append(
                (
                    try numbers(index, count, classCount),
                    try numbers(strides.count + index, count, 4 * binCount)
                ))
        }
        return found
    }

    func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float, _ decoder: any ObjectDecoder.Type
    ) throws(RecordError) -> [ObjectCandidate] {
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        for (stride, (scores, distributions)) in zip(strides, try rows(tensors, inputSize, decoder)) {
            try decoder.checkConfidences(scores)
            let (columns, rows) = Self.extents(inputSize, stride)
            for cell in 0..<columns * rows {
                let likely = (0..<classCount).filter { scores[cell * classCount + $0] >= confidence }
                guard !likely.isEmpty else { continue }
                let distances = (0..<4).map { side in
                    let start = (cell * 4 + side) * binCount
                    return DistributedDistance.mean(distributions[start..<start + binCount]) * Float(stride)
                }
                let x = (Float(cell % columns) + shift) * Float(stride)
                let y = (Float(cell / columns) + shift) * Float(stride)
                for index in likely {
                    found.append(
                        ObjectCandidate(
                            left: min(max(x - distances[0], 0), width) / width,
                            top: min(max(y - distances[1], 0), height) / height,
                            right: min(max(x + distances[2], 0), width) / width,
                            bottom: min(max(y + distances[3], 0), height) / height,
                            confidence: scores[cell * classCount + index], classIndex: index))
                }
            }
        }
        return found
    }
}
