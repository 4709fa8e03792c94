import Apus
import CApus

/// The items of an answer in C's form. Their texts and arrays live as long as the object.
final class AnswerItems: @unchecked Sendable {
    /// The items; written only while the object is made.
    private(set) var items: [apus_item] = []
    /// The masks, in the order of the items.
    private(set) var masks: [RunLengths?] = []

    private var texts: [CString] = []
    private var pointArrays: [UnsafeMutablePointer<apus_point>] = []
    private var runArrays: [UnsafeMutablePointer<UInt32>] = []

    init(_ answer: ImageAnswer?, _ options: RowOptions) {
        for item in answer?.base.items(options) ?? [] { add(item) }
    }

    deinit {
        for points in pointArrays { points.deallocate() }
        for runs in runArrays { runs.deallocate() }
    }

    private func add(_ found: FoundItem) {
        var item = apus_item()
        item.index = Int32(clamping: found.label?.index ?? -1)
        item.label = (found.text ?? found.label?.label).map { copy($0) }
        item.confidence = found.confidence ?? .nan
        item.box = found.box.map { ($0.x, $0.y, $0.width, $0.height) } ?? (.nan, .nan, .nan, .nan)
        item.track = Int64(found.trackID ?? -1)
        item.area = Int64(found.mask?.area ?? -1)
        item.point_count = found.points.count
        item.points = copy(found.points)
        item.run_count = found.mask?.counts.count ?? 0
        item.runs = copy(found.mask?.counts ?? [])
        items.append(item)
        masks.append(found.mask)
    }

    private func copy(_ text: String) -> UnsafePointer<CChar> {
        let copy = CString(text)
        texts.append(copy)
        return copy.start
    }

    private func copy(_ points: [Keypoint]) -> UnsafePointer<apus_point>? {
        guard !points.isEmpty else { return nil }
        let copies = UnsafeMutablePointer<apus_point>.allocate(capacity: points.count)
        pointArrays.append(copies)
        for (index, point) in points.enumerated() {
            let name = point.name.map { copy($0) }
            let (z, confidence) = (point.z ?? .nan, point.confidence ?? .nan)
            (copies + index).initialize(
                to: apus_point(name: name, x: point.x, y: point.y, z: z, confidence: confidence))
        }
        return UnsafePointer(copies)
    }

    private func copy(_ counts: [Int]) -> UnsafePointer<UInt32>? {
        guard !counts.isEmpty else { return nil }
        let copies = UnsafeMutablePointer<UInt32>.allocate(capacity: counts.count)
        runArrays.append(copies)
        for (index, count) in counts.enumerated() { (copies + index).initialize(to: UInt32(clamping: count)) }
        return UnsafePointer(copies)
    }
}
