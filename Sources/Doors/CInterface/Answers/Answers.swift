import Apus
import CApus
import Synchronization

/// The names of kinds of answers, in C's form.
private let kinds = Dictionary(uniqueKeysWithValues: ImageAnswer.Content.allCases.map { ($0, CString($0.rawValue)) })

@c @implementation
public func apus_answer_check(_ answer: OpaquePointer?, _ error: UnsafeMutablePointer<apus_error>?) -> apus_status {
    call(error) { try object(answer, AnswerObject.self).check() }
}

@c @implementation
public func apus_answer_kind(
    _ answer: OpaquePointer?, _ kind: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(kind, "kind")
        place.pointee = kinds[try object(answer, AnswerObject.self).content]?.start
    }
}

@c @implementation
public func apus_answer_size(
    _ answer: OpaquePointer?, _ width: UnsafeMutablePointer<Int64>?, _ height: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let (width, height) = (try required(width, "width"), try required(height, "height"))
        let size = try object(answer, AnswerObject.self).answer?.imageSize
        (width.pointee, height.pointee) = (Int64(size?.width ?? 0), Int64(size?.height ?? 0))
    }
}

@c @implementation
public func apus_answer_json(
    _ answer: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let answer: AnswerObject = try object(answer)
        try give(TextObject(answer.json(id: text(id, "id"))), to: json)
    }
}

@c @implementation
public func apus_answer_item_count(
    _ answer: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(count, "count")
        place.pointee = try object(answer, AnswerObject.self).withItems { $0.items.count }
    }
}

@c @implementation
public func apus_answer_item(
    _ answer: OpaquePointer?, _ index: Int, _ item: UnsafeMutablePointer<apus_item>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(item, "item")
        try object(answer, AnswerObject.self).withItems { items throws(InterfaceError) in
            place.pointee = items.items[try checked(index, below: items.items.count, "item")]
        }
    }
}

@c @implementation
public func apus_answer_mask(
    _ answer: OpaquePointer?, _ index: Int, _ pixels: UnsafeMutablePointer<UInt8>?, _ count: Int,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let pixels = try required(pixels, "pixels")
        let mask = try object(answer, AnswerObject.self).withItems { items throws(InterfaceError) in
            items.masks[try checked(index, below: items.masks.count, "item")]
        }
        guard let mask else { throw InterfaceError.argument("item \(index) has no mask", code: "mask") }
        guard mask.size.pixelCount == count else {
            throw InterfaceError.argument("a mask of \(mask.size) does not have \(count) pixels", code: "length")
        }
        pixels.update(repeating: 0, count: count)
        mask.forEachRun { column, rows in
            for row in rows { pixels[row * mask.size.width + column] = 1 }
        }
    }
}

@c @implementation
public func apus_answer_tensor_count(
    _ answer: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(count, "count")
        place.pointee = try object(answer, AnswerObject.self).namedTensors().tensors.count
    }
}

@c @implementation
public func apus_answer_tensor(
    _ answer: OpaquePointer?, _ index: Int, _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ tensor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(tensor, "tensor")
        let tensors = try object(answer, AnswerObject.self).namedTensors().tensors
        let found = tensors[try checked(index, below: tensors.count, "tensor")]
        try give(found.tensor, to: place)
        name?.pointee = found.name.start
    }
}
