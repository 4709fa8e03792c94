// The extents of register tiles for 32 registers; included before kernels.h.

// Tiles of 12 · 2 or 6 · 4 sums, with columns and a word of a row, take at most 29 of 32 registers.
#define APUS_PANEL_VECTORS 4
#define APUS_TILE_ROWS 6
#define APUS_NARROW_TILE_ROWS 12
#define APUS_TILE_CASES                                                                                           \
    APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3) APUS_TILE_CASE(4) APUS_TILE_CASE(5) APUS_TILE_CASE(6)
#define APUS_NARROW_TILE_CASES                                                                                    \
    APUS_TILE_CASES                                                                                               \
    APUS_TILE_CASE(7) APUS_TILE_CASE(8) APUS_TILE_CASE(9) APUS_TILE_CASE(10) APUS_TILE_CASE(11) APUS_TILE_CASE(12)
