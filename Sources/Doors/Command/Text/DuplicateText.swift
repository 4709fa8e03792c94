import Apus
import FoundationEssentials
import Platform

/// The rows of `apus duplicates`.
enum DuplicateText {
    /// A row for each cluster; in tables and CSV for each picture of one.
    static func lines(_ clusters: [EmbeddingIndex.Cluster], _ format: RowFormat) -> [String] {
        switch format {
        case .table:
            var table = TextTable([("cluster", .right), ("picture", .left)])
            for (number, cluster) in clusters.enumerated() {
                for id in cluster.ids { table.append(["\(number + 1)", id]) }
            }
            return clusters.isEmpty ? [] : table.lines()
        case .csv:
            let rows = clusters.enumerated().flatMap { number, cluster in
                zip(cluster.ids, cluster.positions).map { "\(number + 1),\($0.csvCell),\($1)\r" }
            }
            return ["cluster,id,position\r"] + rows
        case .jsonl:
            return clusters.enumerated().map { number, cluster in
                var text = "{\"cluster\":\(number + 1),\"pictures\":["
                for (place, id) in cluster.ids.enumerated() {
                    text += place == 0 ? "{\"id\":" : ",{\"id\":"
                    text.appendJSON(id)
                    text += ",\"position\":\(cluster.positions[place])}"
                }
                return text + "]}"
            }
        }
    }

    /// A row for each pair.
    static func lines(_ pairs: [EmbeddingIndex.Pair], _ format: RowFormat) -> [String] {
        switch format {
        case .table:
            var table = TextTable([("similarity", .right), ("first", .left), ("second", .left)])
            for pair in pairs {
                table.append([pair.similarity.text(decimals: 4), pair.first.id, pair.second.id])
            }
            return pairs.isEmpty ? [] : table.lines()
        case .csv:
            return ["first,second,similarity\r"]
                + pairs.map { "\($0.first.id.csvCell),\($0.second.id.csvCell),\($0.similarity)\r" }
        case .jsonl:
            return pairs.map { pair in
                var text = "{\"first\":"
                text.appendJSON(pair.first.id)
                text += ",\"second\":"
                text.appendJSON(pair.second.id)
                return text + ",\"similarity\":\(pair.similarity)}"
            }
        }
    }
}
