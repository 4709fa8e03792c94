#ifndef APUS_TILE_REGISTERS_H
#define APUS_TILE_REGISTERS_H

// The eight tile registers of AMX, which are state of the thread, and what is done with them. Registers are given by
// constant numbers. Tests define APUS_TILES_ARE_MODELLED as 1 and the operations themselves, for processors that have
// no such registers.

#include <stdint.h>

/// The shapes of the registers, as `ldtilecfg` reads them: up to 16 rows of up to 64 bytes.
typedef struct {
    /// 1 where registers have these shapes.
    uint8_t palette;
    uint8_t start_row;
    uint8_t reserved[14];
    /// Bytes of a row; both these and the rows of a register are 0 where it is not used.
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_configuration;

#if !defined(APUS_TILES_ARE_MODELLED) || !APUS_TILES_ARE_MODELLED
#include <immintrin.h>

#define APUS_TILES_CONFIGURE(configuration) _tile_loadconfig(configuration)
#define APUS_TILES_RELEASE() _tile_release()
/// Loads the rows of a register, which are `stride` bytes apart.
#define APUS_TILE_LOAD(tile, from, stride) _tile_loadd(tile, from, stride)
#define APUS_TILE_STORE(tile, to, stride) _tile_stored(tile, to, stride)
/// sums[i][j] += Σ rows[i][k] · columns[k][j], where elements of rows and columns are words of two bfloat16.
#define APUS_TILE_ADD_PRODUCTS(sums, rows, columns) _tile_dpbf16ps(sums, rows, columns)
#endif

#endif
