#ifndef APUS_PROCESSOR_TILES_H
#define APUS_PROCESSOR_TILES_H

/// Whether the processor has the tile registers of AMX and their products of bfloat16, and the system gives them to
/// processes that ask.
int processor_has_tiles(void);

#endif
