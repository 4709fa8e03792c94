#ifndef APUS_CPU_KERNELS_H
#define APUS_CPU_KERNELS_H

#include "apus_activation.h"
#include "apus_attention.h"
#include "apus_bfloat16.h"
#include "apus_convolution.h"
#include "apus_copy.h"
#include "apus_depthwise.h"
#include "apus_elementwise.h"
#include "apus_gemm.h"
#include "apus_indexing.h"
#include "apus_integer.h"
#include "apus_nibbles.h"
#include "apus_normalization.h"
#include "apus_patches.h"
#include "apus_pooling.h"
#include "apus_processor.h"
#include "apus_recurrence.h"
#include "apus_reduction.h"
#include "apus_resampling.h"
#include "apus_resize.h"
#include "apus_sampling.h"
#include "apus_search.h"
#include "apus_softmax.h"
#include "apus_threads.h"
#include "apus_winograd.h"

#endif
