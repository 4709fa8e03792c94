import Images
import Platform
import Predicting

extension COCOObject {
    /// A marked object.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the annotation has not what is compared.
    init(
        _ annotation: COCOGroundTruth.Annotation, _ kind: DetectionEvaluation.Kind, in size: ImageSize?, path: String,
        index: Int
    ) throws(ApusError) {
        func fail(_ message: String) -> ApusError { .file(path: path, message: "annotations[\(index)] \(message)") }
        let box = annotation.box
        guard box?.count ?? 4 == 4 else { throw fail("has a box of \(box?.count ?? 0) numbers") }
        isCrowd = annotation.crowd ?? 0 != 0
        score = 0
        switch kind {
        case .boxes:
            guard let box else { throw fail("has no bbox") }
            content = .box(box)
            area = annotation.area ?? box[2] * box[3]
            isIgnored = isCrowd
        case .masks:
            guard let shape = annotation.segmentation else { throw fail("has no segmentation") }
            do throws(MaskError) {
                let mask = try shape.mask(in: size)
                (content, area) = (.mask(mask), annotation.area ?? Double(mask.area))
            } catch {
                throw fail("has a segmentation with \(error)")
            }
            isIgnored = isCrowd
        case .keypoints:
            let count = COCORules.pointScales.count
            guard let points = annotation.keypoints, points.count == count * 3 else {
                throw fail("does not have \(count) keypoints")
            }
            guard let box, let area = annotation.area else { throw fail("has no bbox or no area") }
            content = .points(points, box: box)
            self.area = area
            let marked = annotation.keypointCount ?? (0..<count).count { points[$0 * 3 + 2] > 0 }
            isIgnored = isCrowd || marked == 0
        }
    }

    /// An object that was found.
    ///
    /// - Parameter usesBoxes: Whether boxes tell the areas of masks and points, as they do where the first result has
    ///   one.
    /// - Throws: ``ApusError/file(path:message:)`` when the result has not what is compared.
    init(
        _ result: COCOResult, _ kind: DetectionEvaluation.Kind, in size: ImageSize?, usesBoxes: Bool, path: String,
        index: Int
    ) throws(ApusError) {
        func fail(_ message: String) -> ApusError { .file(path: path, message: "[\(index)] \(message)") }
        guard result.box?.count ?? 4 == 4 else { throw fail("has a box of \(result.box?.count ?? 0) numbers") }
        (isCrowd, isIgnored, score) = (false, false, result.score)
        let boxArea = usesBoxes ? result.box.map { $0[2] * $0[3] } : nil
        switch kind {
        case .boxes:
            guard let box = result.box else { throw fail("has no bbox") }
            (content, area) = (.box(box), box[2] * box[3])
        case .masks:
            guard let shape = result.segmentation else { throw fail("has no segmentation") }
            do throws(MaskError) {
                let mask = try shape.mask(in: size)
                (content, area) = (.mask(mask), boxArea ?? Double(mask.area))
            } catch {
                throw fail("has a segmentation with \(error)")
            }
        case .keypoints:
            let count = COCORules.pointScales.count
            guard let points = result.keypoints, points.count == count * 3 else {
                throw fail("does not have \(count) keypoints")
            }
            let xs = (0..<count).map { points[$0 * 3] }
            let ys = (0..<count).map { points[$0 * 3 + 1] }
            let extent = ((xs.max() ?? 0) - (xs.min() ?? 0)) * ((ys.max() ?? 0) - (ys.min() ?? 0))
            (content, area) = (.points(points, box: []), boxArea ?? extent)
        }
    }
}
