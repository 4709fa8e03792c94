#ifndef APUS_TILE_OF_32_REGISTERS_H
#define APUS_TILE_OF_32_REGISTERS_H

// The extents of register tiles of an instruction set with 32 vector registers, as variant.h needs them: tiles of 12 ·
// 2 or 6 · 4 sums, with the columns and one word of a row, take at most 29 registers.

#define APUS_PANEL_VECTORS 4
#define APUS_TILE_ROWS 6
#define APUS_NARROW_TILE_ROWS 12

#endif
