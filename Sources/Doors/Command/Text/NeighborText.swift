import Apus
import FoundationEssentials
import Platform

/// The rows of `apus search`.
struct NeighborText {
    private let format: RowFormat

    init(_ format: RowFormat) { self.format = format }

    /// The lines before the first row.
    var beginning: [String] {
        format == .csv ? ["query,rank,id,position,similarity,error\r"] : []
    }

    /// The lines for one picture that was asked for.
    func lines(_ query: String, _ answer: Result<[EmbeddingIndex.Neighbor], RecordError>) -> [String] {
        switch format {
        case .table: table(query, answer)
        case .csv: cells(query, answer)
        case .jsonl: [json(query, answer)]
        }
    }

    private func table(_ query: String, _ answer: Result<[EmbeddingIndex.Neighbor], RecordError>) -> [String] {
        switch answer {
        case .failure(let error): return ["\(query.printable): \(error)"]
        case .success(let neighbors):
            var table = TextTable([("", .left), ("", .right), ("", .left)])
            for neighbor in neighbors { table.append(["", neighbor.similarity.text(decimals: 4), neighbor.id]) }
            return [query.printable] + table.lines()
        }
    }

    private func cells(_ query: String, _ answer: Result<[EmbeddingIndex.Neighbor], RecordError>) -> [String] {
        switch answer {
        case .failure(let error): return ["\(query.csvCell),,,,,\("\(error)".csvCell)\r"]
        case .success(let neighbors):
            return neighbors.enumerated().map { rank, neighbor in
                "\(query.csvCell),\(rank + 1),\(neighbor.id.csvCell),\(neighbor.position),"
                    + "\(neighbor.similarity),\r"
            }
        }
    }

    private func json(_ query: String, _ answer: Result<[EmbeddingIndex.Neighbor], RecordError>) -> String {
        var text = "{\"query\":"
        text.appendJSON(query)
        switch answer {
        case .failure(let error):
            text += ",\"neighbors\":null,\"error\":"
            text.appendJSON(error)
        case .success(let neighbors):
            text += ",\"neighbors\":["
            for (rank, neighbor) in neighbors.enumerated() {
                text += rank == 0 ? "{\"id\":" : ",{\"id\":"
                text.appendJSON(neighbor.id)
                text += ",\"position\":\(neighbor.position),\"similarity\":\(neighbor.similarity)}"
            }
            text += "],\"error\":null"
        }
        return text + "}"
    }
}
