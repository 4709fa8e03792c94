import Images
import Platform

/// The marked and the found objects of each class, picture by picture.
struct ComparedObjects {
    /// The objects of a picture that belong to a class.
    private struct Group {
        var marked: [COCOObject] = []
        var found: [COCOObject] = []
    }

    /// The groups of each class, by the position of the picture.
    private var groups: [[Int: Group]]
    /// The number of marked objects of each class, without crowds.
    private(set) var markedCounts: [Int]
    /// The number of results of each class.
    private(set) var foundCounts: [Int]
    /// The number of results of classes that the ground truth does not have.
    private(set) var unknownClassCount = 0

    init(_ results: COCOResults, _ truth: COCOGroundTruth, _ kind: DetectionEvaluation.Kind) throws(ApusError) {
        let categories = Dictionary(uniqueKeysWithValues: truth.categories.enumerated().map { ($1.id, $0) })
        let pictures = Dictionary(uniqueKeysWithValues: truth.pictures.enumerated().map { ($1.id, $0) })
        groups = Array(repeating: [:], count: categories.count)
        markedCounts = Array(repeating: 0, count: categories.count)
        foundCounts = markedCounts
        for (index, annotation) in truth.annotations.enumerated() {
            guard let category = categories[annotation.category], let picture = pictures[annotation.image] else {
                continue
            }
            let object = try COCOObject(
                annotation, kind, in: truth.pictures[picture].size, path: truth.path, index: index)
            groups[category][picture, default: Group()].marked.append(object)
            if !object.isCrowd { markedCounts[category] += 1 }
        }
        let names = COCOPictureNames(truth)
        let usesBoxes = results.results.first?.box != nil
        for (index, result) in results.results.enumerated() {
            let id: Int? =
                switch result.picture {
                case .number(let number): names.id(number)
                case .name(let name): names.id(name)
                }
            guard let picture = id.flatMap({ pictures[$0] }) else {
                let name =
                    switch result.picture {
                    case .number(let number): "\(number)"
                    case .name(let name): "\"\(name.printable)\""
                    }
                throw .file(
                    path: results.path, message: "[\(index)] is of image \(name), which \(truth.path) does not have")
            }
            guard let category = categories[result.category] else {
                unknownClassCount += 1
                continue
            }
            let object = try COCOObject(
                result, kind, in: truth.pictures[picture].size, usesBoxes: usesBoxes, path: results.path, index: index)
            groups[category][picture, default: Group()].found.append(object)
            foundCounts[category] += 1
        }
    }

    /// The matches of a class in each picture that has objects of it, for each range of areas.
    func matches(of category: Int, _ rules: COCORules, _ mistakes: inout PictureMistakes) -> [[COCOMatches]] {
        let limit = rules.limits.last ?? 0
        return groups[category].sorted { $0.key < $1.key }.map { picture, group in
            let scores = group.found.map(\.score)
            // Of equal confidences, the first result comes first.
            let order = scores.indices.sorted { scores[$0] == scores[$1] ? $0 < $1 : scores[$0] > scores[$1] }
            let found = order.prefix(limit).map { group.found[$0] }
            let overlaps = found.map { object in group.marked.map { object.overlap(with: $0) } }
            let matches = rules.areas.map { COCOMatches(group.marked, found, overlaps, in: $0.range) }
            mistakes.add(matches[0], picture)
            return matches
        }
    }
}
