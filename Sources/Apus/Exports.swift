@_exported public import Features
@_exported public import Graphs
@_exported public import Images
@_exported public import Tensors
