import Platform

/// The assignment problem.
package enum Assignment {
    /// Gives every row at most one column, and every column to at most one row, so that as many as possible are assigned and
    /// the sum of their costs is least: the Hungarian method with potentials, O(rows² × columns).
    ///
    /// Reference: Kuhn, 1955, https://doi.org/10.1002/nav.3800020109
    ///
    /// - Parameter costs: Rows of equal length, of finite numbers.
    /// - Returns: For every row its column; nil where there are more rows than columns.
    package static func minimumCost(_ costs: [[Double]]) -> [Int?] {
        let (rowCount, columnCount) = (costs.count, costs.first?.count ?? 0)
        guard rowCount > 0, columnCount > 0 else { return [Int?](repeating: nil, count: rowCount) }
        if rowCount > columnCount {
            let transposed = (0..<columnCount).map { column in costs.map { $0[column] } }
            var result = [Int?](repeating: nil, count: rowCount)
            for (column, row) in minimumCost(transposed).enumerated() { if let row { result[row] = column } }
            return result
        }
        // Position 0 of columns stands for none; rows and columns count from 1.
        var rowPotential = [Double](repeating: 0, count: rowCount + 1)
        var columnPotential = [Double](repeating: 0, count: columnCount + 1)
        var rowOfColumn = [Int](repeating: 0, count: columnCount + 1)
        for row in 1...rowCount {
            var least = [Double](repeating: .infinity, count: columnCount + 1)
            var previous = [Int](repeating: 0, count: columnCount + 1)
            var isVisited = [Bool](repeating: false, count: columnCount + 1)
            rowOfColumn[0] = row
            var column = 0
            repeat {
                isVisited[column] = true
                let current = rowOfColumn[column]
                var (step, next) = (Double.infinity, 0)
                for candidate in 1...columnCount where !isVisited[candidate] {
                    let reduced =
                        costs[current - 1][candidate - 1] - rowPotential[current] - columnPotential[candidate]
                    if reduced < least[candidate] { (least[candidate], previous[candidate]) = (reduced, column) }
                    if least[candidate] < step { (step, next) = (least[candidate], candidate) }
                }
                for candidate in 0...columnCount {
                    if isVisited[candidate] {
                        rowPotential[rowOfColumn[candidate]] += step
                        columnPotential[candidate] -= step
                    } else {
                        least[candidate] -= step
                    }
                }
                column = next
            } while rowOfColumn[column] != 0
            while column != 0 {
                rowOfColumn[column] = rowOfColumn[previous[column]]
                column = previous[column]
            }
        }
        var result = [Int?](repeating: nil, count: rowCount)
        for column in 1...columnCount where rowOfColumn[column] > 0 { result[rowOfColumn[column] - 1] = column - 1 }
        return result
    }
}
