import Apus
import CApus

@c @implementation
public func apus_answer_part_count(
    _ answer: OpaquePointer?, _ item: Int, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(count, "count")
        place.pointee = try parts(answer, item).count
    }
}

@c @implementation
public func apus_answer_part(
    _ answer: OpaquePointer?, _ item: Int, _ index: Int, _ stage: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ part: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let place = try required(part, "part")
        let parts = try parts(answer, item)
        let found = parts[try checked(index, below: parts.count, "part")]
        try give(found.answer, to: place)
        stage?.pointee = found.stage.start
    }
}

/// The parts of an item; none where the model is no recipe.
private func parts(
    _ answer: OpaquePointer?, _ item: Int
) throws(InterfaceError) -> [(stage: CString, answer: AnswerObject)] {
    let answer: AnswerObject = try object(answer)
    let count = answer.withItems { $0.items.count }
    let index = try checked(item, below: count, "item")
    let parts = answer.parts().parts
    return parts.indices.contains(index) ? parts[index] : []
}
