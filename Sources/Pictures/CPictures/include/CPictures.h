#ifndef APUS_CPICTURES_H
#define APUS_CPICTURES_H

/// Libraries of pictures, found at run time. Each has a table of functions, which its load function fills.
///
/// A load function returns NULL, or one line that says what is missing; the text is the thread's until its next call.

#include "HEIF.h"
#include "LittleCMS.h"
#include "OpenJPEG.h"
#include "TIFF.h"
#include "WebP.h"

#endif
