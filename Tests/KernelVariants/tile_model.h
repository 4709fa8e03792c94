#ifndef APUS_TESTS_TILE_MODEL_H
#define APUS_TESTS_TILE_MODEL_H

// The tile registers of AMX in plain C, in place of the operations of variants/tile_registers.h.

#define APUS_TILES_ARE_MODELLED 1
#include "../../Kernels/CPU/variants/tile_registers.h"

#include <stddef.h>

void configure_tiles(const tile_configuration *configuration);
void release_tiles(void);
void load_tile(int tile, const void *from, ptrdiff_t stride);
void store_tile_rows(int tile, void *to, ptrdiff_t stride);
void add_tile_products(int sums, int rows, int columns);

/// Whether registers are configured.
int has_tiles(void);

#define APUS_TILES_CONFIGURE(configuration) configure_tiles(configuration)
#define APUS_TILES_RELEASE() release_tiles()
#define APUS_TILE_LOAD(tile, from, stride) load_tile(tile, from, (ptrdiff_t)(stride))
#define APUS_TILE_STORE(tile, to, stride) store_tile_rows(tile, to, (ptrdiff_t)(stride))
#define APUS_TILE_ADD_PRODUCTS(sums, rows, columns) add_tile_products(sums, rows, columns)

#endif
