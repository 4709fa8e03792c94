/// The nodes of the trained SqueezeNet 1.1 in ONNX, in order.
let squeezeNetStructure = """
    Conv input 0, float32[64, 3, 3, 3], float32[64] kernel_shape=[3, 3] pads=[1, 1, 1, 1] strides=[2, 2]
    Relu %0
    MaxPool %1 kernel_shape=[3, 3] strides=[2, 2]
    Conv %2, float32[16, 64, 1, 1], float32[16] kernel_shape=[1, 1]
    Relu %3
    Conv %4, float32[64, 16, 1, 1], float32[64] kernel_shape=[1, 1]
    Relu %5
    Conv %4, float32[64, 16, 3, 3], float32[64] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %7
    Concat %6, %8 axis=1
    Conv %9, float32[16, 128, 1, 1], float32[16] kernel_shape=[1, 1]
    Relu %10
    Conv %11, float32[64, 16, 1, 1], float32[64] kernel_shape=[1, 1]
    Relu %12
    Conv %11, float32[64, 16, 3, 3], float32[64] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %14
    Concat %13, %15 axis=1
    MaxPool %16 kernel_shape=[3, 3] strides=[2, 2]
    Conv %17, float32[32, 128, 1, 1], float32[32] kernel_shape=[1, 1]
    Relu %18
    Conv %19, float32[128, 32, 1, 1], float32[128] kernel_shape=[1, 1]
    Relu %20
    Conv %19, float32[128, 32, 3, 3], float32[128] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %22
    Concat %21, %23 axis=1
    Conv %24, float32[32, 256, 1, 1], float32[32] kernel_shape=[1, 1]
    Relu %25
    Conv %26, float32[128, 32, 1, 1], float32[128] kernel_shape=[1, 1]
    Relu %27
    Conv %26, float32[128, 32, 3, 3], float32[128] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %29
    Concat %28, %30 axis=1
    MaxPool %31 kernel_shape=[3, 3] strides=[2, 2]
    Conv %32, float32[48, 256, 1, 1], float32[48] kernel_shape=[1, 1]
    Relu %33
    Conv %34, float32[192, 48, 1, 1], float32[192] kernel_shape=[1, 1]
    Relu %35
    Conv %34, float32[192, 48, 3, 3], float32[192] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %37
    Concat %36, %38 axis=1
    Conv %39, float32[48, 384, 1, 1], float32[48] kernel_shape=[1, 1]
    Relu %40
    Conv %41, float32[192, 48, 1, 1], float32[192] kernel_shape=[1, 1]
    Relu %42
    Conv %41, float32[192, 48, 3, 3], float32[192] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %44
    Concat %43, %45 axis=1
    Conv %46, float32[64, 384, 1, 1], float32[64] kernel_shape=[1, 1]
    Relu %47
    Conv %48, float32[256, 64, 1, 1], float32[256] kernel_shape=[1, 1]
    Relu %49
    Conv %48, float32[256, 64, 3, 3], float32[256] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %51
    Concat %50, %52 axis=1
    Conv %53, float32[64, 512, 1, 1], float32[64] kernel_shape=[1, 1]
    Relu %54
    Conv %55, float32[256, 64, 1, 1], float32[256] kernel_shape=[1, 1]
    Relu %56
    Conv %55, float32[256, 64, 3, 3], float32[256] kernel_shape=[3, 3] pads=[1, 1, 1, 1]
    Relu %58
    Concat %57, %59 axis=1
    Conv %60, float32[1000, 512, 1, 1], float32[1000] kernel_shape=[1, 1]
    GlobalAveragePool %61
    Flatten %62
    Softmax %63 axis=1
    output %64
    """
