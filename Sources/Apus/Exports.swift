@_exported public import Graphs
@_exported public import Images
@_exported public import Tensors
