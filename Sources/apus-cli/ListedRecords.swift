import Apus

/// Records that were listed before.
struct ListedRecords: Dataset {
    let list: [ImageRecord]

    func records() -> [ImageRecord] { list }
}
