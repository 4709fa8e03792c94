import Platform

/// The assignment problem.
package enum Assignment {
    /// Assigns rows to columns, at most one to each, so that as many as possible are assigned and the sum of their
    /// costs is minimal. The Hungarian method with potentials, O(rows² × columns).
    ///
    /// Reference: Kuhn, 1955, https://doi.org/10.1002/nav.3800020109
    ///
    /// - Parameter costs: Rows of equal length with finite numbers.
    /// - Returns: The column of every row; nil for a row without one, when there are more rows than columns.
    package static func minimumCost(_ costs: [[Double]]) -> [Int?] {
        let (rowCount, columnCount) = (costs.count, costs.first?.count ?? 0)
        guard rowCount > 0, columnCount > 0 else { return [Int?](repeating: nil, count: rowCount) }
        if rowCount > columnCount {
            let transposed = (0..<columnCount).map { column in costs.map { $0[column] } }
            var result = [Int?](repeating: nil, count: rowCount)
            for (column, row) in minimumCost(transposed).enumerated() { if let row { result[row] = column } }
            return result
        }
        // Position 0 stands for no column; rows and columns are counted from 1.
        var rowPotential = [Double](repeating: 0, count: rowCount + 1)
        var columnPotential = [Double](repeating: 0, count: columnCount + 1)
        var rowOfColumn = [Int](repeating: 0, count: columnCount + 1)
        for row in 1...rowCount {
            var minima = [Double](repeating: .infinity, count: columnCount + 1)
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
                    if reduced < minima[candidate] { (minima[candidate], previous[candidate]) = (reduced, column) }
                    if minima[candidate] < step { (step, next) = (minima[candidate], candidate) }
                }
                for candidate in 0...columnCount {
                    if isVisited[candidate] {
                        rowPotential[rowOfColumn[candidate]] += step
                        columnPotential[candidate] -= step
                    } else {
                        minima[candidate] -= step
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
