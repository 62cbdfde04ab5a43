/* Tiles: the walk's innermost dimensions are the code's columns, rows and, if it has them, planes, the others an odometer around it.
 * Tensors that no loop of the kernel can read or write in place (strided columns), and rows too short for a loop, go through an L1 buffer:
 * elements are gathered into it, the kernel runs over it, and results are scattered from it. */
#include "runtime/tile.h"

#include <string.h>

#include "runtime/pack.h"
#include "runtime/transpose.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    SCRATCH_BYTES = 32 * 1024, /* of the L1 cache, for all packed tensors of a chunk together */
    MAX_CHUNK = 1024,          /* elements; more gains nothing once the call is amortised */
    SHORT_ROW = 16,            /* columns up to which rows are joined into longer ones, where a loop for that exists */
};

typedef struct tile_job {
    const plan_part *part;
    tosajit_entry entry;
    const walk *w;
    const tile_tensors *tensors;
    uint64_t splat;                           /* leaves whose column stride is 0 */
    uint64_t packed;                          /* tensors that go through the buffer */
    bool in_place;                            /* a result is computed in place of a leaf */
    int64_t strides[3 * TOSAJIT_MAX_TENSORS]; /* for the entry */
} tile_job;

static const int64_t *strides_of(const walk *w, int32_t d) { return &w->strides[d * w->tensors]; }

bool tile_has_loop(const plan_part *part, uint64_t splat) {
    for (int32_t v = 0; v < part->variant_count; v++)
        if (((splat ^ part->variants[v].splat) & ~part->variants[v].either) == 0) return true;
    return false;
}

/* The strides for the entry: rows[t], or 0 for all, and columns by class. */
static void set_strides(tile_job *job, const int64_t *rows) {
    for (int32_t t = 0; t < job->w->tensors; t++) {
        job->strides[2 * t] = rows ? rows[t] : 0;
        job->strides[2 * t + 1] = job->splat >> t & 1 ? job->tensors->splat_strides[t] : job->tensors->element_sizes[t];
    }
}

/* Step the outer dimensions, the last one fastest; false after the last index. offsets follow. */
static bool next_outer(const walk *w, int32_t outer_rank, int64_t *index, void **pointers) {
    for (int32_t d = outer_rank; d-- > 0;) {
        const int64_t *strides = strides_of(w, d);
        if (++index[d] < w->sizes[d]) {
            for (int32_t t = 0; t < w->tensors; t++) pointers[t] = (char *)pointers[t] + strides[t];
            return true;
        }
        for (int32_t t = 0; t < w->tensors; t++) pointers[t] = (char *)pointers[t] - strides[t] * (w->sizes[d] - 1);
        index[d] = 0;
    }
    return false;
}

/* What an L1 cache forgives. Beyond it an order other than that of memory reads what repeats again from further away, and fetches lines
 * again that rows, or a plane's, do not fill. */
enum { CACHED_ELEMENTS = 4096 };

static int64_t element_count(const walk *w) {
    int64_t count = 1;
    for (int32_t d = 0; d < w->rank; d++) count *= w->sizes[d];
    return count;
}

/* Whether a cache keeps a line of each of so many rows at once, that far apart: powers of two leave it few places. */
static bool keeps_lines(int64_t rows, int64_t stride) {
    enum { WAY_BYTES = 4096, WAYS = 8, LINE = 64 };
    const int64_t power = stride & -stride, apart = power < WAY_BYTES ? power : WAY_BYTES;
    return apart < LINE || rows <= WAYS * WAY_BYTES / apart;
}

/* The outer dimension that serves best as rows: the innermost one, unless rows are short and few, and there are many more along another.
 * Long rows are best taken in the order of memory. So are others of more than the L1 cache forgives, unless there is next to nothing to a
 * plane. */
static int32_t rows_dimension(const walk *w) {
    enum { FEW_ROWS = 16, SHORT = 24, FEWER_ROWS = 4, SHORTER = 16, MOST_ELEMENTS = 32768 }; /* rows, columns */
    int32_t best = w->rank - 2;
    const int64_t count = element_count(w);
    const bool cached = count <= CACHED_ELEMENTS;
    if (best < 1 || w->sizes[best] >= (cached ? FEW_ROWS : FEWER_ROWS) || w->sizes[w->rank - 1] >= (cached ? SHORT : SHORTER)) return best;
    if (count > MOST_ELEMENTS) return best;
    for (int32_t d = best - 1; d >= 0; d--)
        if (w->sizes[d] > 2 * w->sizes[best] && (cached || keeps_lines(w->sizes[d], strides_of(w, d)[w->tensors - 1]))) best = d;
    return best;
}

/* Of the dimensions around rows the one that serves best as planes: the longest, so that there are few tiles, if the cache forgives it. */
static int32_t planes_dimension(const walk *w) {
    int32_t best = w->rank - 3;
    if (element_count(w) > CACHED_ELEMENTS) return best;
    for (int32_t d = best - 1; d >= 0; d--)
        if (w->sizes[d] > w->sizes[best]) best = d;
    return best;
}

/* Two dimensions change places; the order of the outer ones is free. */
static void swap_dimensions(walk *w, int32_t a, int32_t b) {
    if (a == b) return;
    int64_t size = w->sizes[a];
    w->sizes[a] = w->sizes[b];
    w->sizes[b] = size;
    for (int32_t t = 0; t < w->tensors; t++) {
        int64_t stride = walk_strides(w, a)[t];
        walk_strides(w, a)[t] = walk_strides(w, b)[t];
        walk_strides(w, b)[t] = stride;
    }
}

void tile_order(walk *w, bool has_planes) {
    if (w->rank > 2) swap_dimensions(w, rows_dimension(w), w->rank - 2);
    if (w->rank > 3 && has_planes) swap_dimensions(w, planes_dimension(w), w->rank - 3);
}

static bool is_in_place(const plan_part *part, const tile_tensors *tensors) {
    for (int32_t r = 0; r < part->result_count; r++)
        for (int32_t k = 0; k < part->leaf_count; k++)
            if (tensors->pointers[k] == tensors->pointers[part->leaf_count + r]) return true;
    return false;
}

/* Streaming: the code writes a block of results into a buffer in the L1 cache, which goes to memory from there, past the caches. That takes
 * no loop of its own in the code. Blocks are small, so that the processor overlaps the reads of one with the writes of the one before. */
enum { STREAM_BYTES = 512 }; /* of a block's results together */

static void stream_copy(char *to, const char *from, int64_t bytes) {
#if defined(__SSE2__)
    enum { LINE = 64 }; /* only whole ones */
    int64_t start = (int64_t)(-(uintptr_t)to & (LINE - 1));
    if (start > bytes) start = bytes;
    memcpy(to, from, (size_t)start);
    for (; bytes - start >= LINE; start += LINE)
        for (int k = 0; k < LINE; k += 16)
            _mm_stream_si128((__m128i *)(void *)(to + start + k), _mm_loadu_si128((const __m128i *)(const void *)(from + start + k)));
    memcpy(to + start, from + start, (size_t)(bytes - start));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

/* Other threads see what was streamed before what this one writes next. */
static void stream_end(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Elements of a block, a multiple of 64; 0 if there are too many results. */
static int64_t stream_block(const tile_job *job) {
    int64_t size = 0;
    for (int32_t t = job->part->leaf_count; t < job->w->tensors; t++) size += job->tensors->element_sizes[t];
    return STREAM_BYTES / size / 64 * 64;
}

/* Whether streaming pays: in one long row, and into other memory than the operands', whose lines the caches hold anyway. */
static bool can_stream(const tile_job *job) {
#if defined(__SSE2__)
    return job->w->rank == 1 && stream_block(job) > 0 && !job->in_place;
#else
    (void)job;
    return false;
#endif
}

static void run_streamed(tile_job *job) {
    _Alignas(64) char buffer[STREAM_BYTES];
    void *pointers[TOSAJIT_MAX_TENSORS];
    const int32_t leaves = job->part->leaf_count, tensors = job->w->tensors;
    const uint8_t *sizes = job->tensors->element_sizes;
    const int64_t block = stream_block(job), cols = job->w->sizes[0];
    set_strides(job, NULL);
    for (int64_t col = 0; col < cols; col += block) {
        const int64_t count = cols - col < block ? cols - col : block;
        char *free_bytes = buffer;
        for (int32_t t = 0; t < tensors; t++) {
            pointers[t] = t < leaves ? (char *)job->tensors->pointers[t] + (job->splat >> t & 1 ? 0 : col * sizes[t]) : free_bytes;
            if (t >= leaves) free_bytes += block * sizes[t];
        }
        job->entry(pointers, job->strides, 1, 1, count);
        for (int32_t t = leaves; t < tensors; t++)
            stream_copy((char *)job->tensors->pointers[t] + col * sizes[t], pointers[t], count * sizes[t]);
    }
    stream_end();
}

/* Tile after tile of the innermost dimensions. */
static void run_tiles(tile_job *job) {
    const walk *w = job->w;
    const bool has_rows = w->rank > 1, has_planes = w->rank > 2 && job->part->has_planes;
    const int32_t outer_rank = w->rank - 1 - has_rows - has_planes;
    const int64_t *rows = has_rows ? strides_of(w, w->rank - 2) : NULL, *planes = has_planes ? strides_of(w, w->rank - 3) : NULL;
    int64_t row_count = has_rows ? w->sizes[w->rank - 2] : 1, plane_count = has_planes ? w->sizes[w->rank - 3] : 1, index[TOSAJIT_MAX_RANK];
    void *pointers[TOSAJIT_MAX_TENSORS];
    set_strides(job, rows);
    for (int32_t t = 0; t < w->tensors; t++) {
        pointers[t] = job->tensors->pointers[t];
        if (has_planes) job->strides[2 * w->tensors + t] = planes[t] - row_count * rows[t];
    }
    for (int32_t d = 0; d < outer_rank; d++) index[d] = 0;
    do job->entry(pointers, job->strides, plane_count, row_count, w->sizes[w->rank - 1]);
    while (next_outer(w, outer_rank, index, pointers));
}

/* Every tensor's columns are contiguous or a splat, in a combination that the code has. */
static void run_direct(tile_job *job) {
    walk ordered; /* not initialised: copied as far as it is used */
    if (job->w->rank > 2) {
        walk_copy(&ordered, job->w);
        tile_order(&ordered, job->part->has_planes);
        job->w = &ordered;
    }
    run_tiles(job);
}

/* Elements per chunk, and where each packed tensor lies in the buffer. */
static int64_t lay_out(const tile_job *job, char *scratch, char **buffers) {
    int64_t bytes = 0;
    for (int32_t t = 0; t < job->w->tensors; t++)
        if (job->packed >> t & 1) bytes += job->tensors->element_sizes[t];
    int64_t chunk = bytes ? SCRATCH_BYTES / bytes / 64 * 64 : MAX_CHUNK; /* 64 tensors of 8 bytes still get 64 elements */
    if (chunk > MAX_CHUNK) chunk = MAX_CHUNK;
    for (int32_t t = 0; t < job->w->tensors; t++) {
        buffers[t] = scratch;
        if (job->packed >> t & 1) scratch += chunk * job->tensors->element_sizes[t];
    }
    return chunk;
}

/* Row by row, in chunks of columns: strided columns are packed, all else is read and written in place. */
static void run_packed_rows(tile_job *job) {
    const walk *w = job->w;
    const int64_t *columns = strides_of(w, w->rank - 1);
    _Alignas(64) char scratch[SCRATCH_BYTES];
    char *buffers[TOSAJIT_MAX_TENSORS];
    void *row[TOSAJIT_MAX_TENSORS], *pointers[TOSAJIT_MAX_TENSORS];
    int64_t chunk = lay_out(job, scratch, buffers), index[TOSAJIT_MAX_RANK] = {0}, cols = w->sizes[w->rank - 1];
    int32_t leaves = job->part->leaf_count;
    set_strides(job, NULL);
    for (int32_t t = 0; t < w->tensors; t++) row[t] = job->tensors->pointers[t];
    do {
        for (int64_t start = 0; start < cols; start += chunk) {
            int64_t count = cols - start < chunk ? cols - start : chunk;
            for (int32_t t = 0; t < w->tensors; t++) {
                char *source = (char *)row[t] + start * columns[t];
                bool packed = job->packed >> t & 1;
                pointers[t] = packed ? buffers[t] : source;
                if (packed && t < leaves)
                    transpose_line(buffers[t], job->tensors->element_sizes[t], source, columns[t], count, job->tensors->element_sizes[t]);
            }
            job->entry(pointers, job->strides, 1, 1, count);
            for (int32_t t = leaves; t < w->tensors; t++)
                if (job->packed >> t & 1)
                    transpose_line((char *)row[t] + start * columns[t], columns[t], buffers[t], job->tensors->element_sizes[t], count,
                                   job->tensors->element_sizes[t]);
        }
    } while (next_outer(w, w->rank - 1, index, row));
}

/* Blocks: where the rows of a packed tensor lie closer together than its columns, as in a transposed matrix, row by row would fetch a cache
 * line for each element. A block is as many rows as elements fit a line, and is transposed on its way into the buffer or out of it. */
enum { BLOCK_ROWS = 16, BLOCK_COLUMNS = 64, MOST_BLOCK_BYTES = SCRATCH_BYTES / (BLOCK_ROWS * BLOCK_COLUMNS) };

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/* Whether blocks serve a packed tensor, and all packed ones fit the buffer. */
static bool blocks_pay(const tile_job *job) {
    const walk *w = job->w;
    if (w->rank < 2 || w->sizes[w->rank - 2] < BLOCK_ROWS / 2) return false;
    const int64_t *columns = strides_of(w, w->rank - 1), *rows = strides_of(w, w->rank - 2);
    int64_t bytes = 0;
    bool pay = false;
    for (int32_t t = 0; t < w->tensors; t++) {
        if (!(job->packed >> t & 1)) continue;
        bytes += job->tensors->element_sizes[t];
        pay |= rows[t] != 0 && magnitude(rows[t]) < magnitude(columns[t]);
    }
    return pay && bytes <= MOST_BLOCK_BYTES;
}

/* Move one block of every packed leaf from memory into the buffers, or of every packed result back. */
static void move_block(const tile_job *job, void *const *memory, char *const *buffers, bool gathers, int64_t rows, int64_t cols) {
    const walk *w = job->w;
    const int32_t leaves = job->part->leaf_count;
    for (int32_t t = gathers ? 0 : leaves; t < (gathers ? leaves : w->tensors); t++) {
        if (!(job->packed >> t & 1)) continue;
        const uint8_t size = job->tensors->element_sizes[t];
        const transpose_side outside = {memory[t], strides_of(w, w->rank - 2)[t], strides_of(w, w->rank - 1)[t]};
        const transpose_side inside = {buffers[t], BLOCK_COLUMNS * size, size};
        transpose_copy(gathers ? &inside : &outside, gathers ? &outside : &inside, rows, cols, size);
    }
}

/* All blocks of the two innermost dimensions, from where base says. */
static void run_blocks(const tile_job *job, void *const *base, char *const *buffers) {
    const walk *w = job->w;
    const int64_t row_count = w->sizes[w->rank - 2], col_count = w->sizes[w->rank - 1];
    const int64_t *row_strides = strides_of(w, w->rank - 2), *col_strides = strides_of(w, w->rank - 1);
    for (int64_t row = 0; row < row_count; row += BLOCK_ROWS)
        for (int64_t col = 0; col < col_count; col += BLOCK_COLUMNS) {
            const int64_t rows = row_count - row < BLOCK_ROWS ? row_count - row : BLOCK_ROWS;
            const int64_t cols = col_count - col < BLOCK_COLUMNS ? col_count - col : BLOCK_COLUMNS;
            void *memory[TOSAJIT_MAX_TENSORS], *pointers[TOSAJIT_MAX_TENSORS];
            for (int32_t t = 0; t < w->tensors; t++) {
                memory[t] = (char *)base[t] + row * row_strides[t] + col * col_strides[t];
                pointers[t] = job->packed >> t & 1 ? buffers[t] : memory[t];
            }
            move_block(job, memory, buffers, true, rows, cols);
            job->entry(pointers, job->strides, 1, rows, cols);
            move_block(job, memory, buffers, false, rows, cols);
        }
}

static void run_packed_blocks(tile_job *job) {
    const walk *w = job->w;
    _Alignas(64) char scratch[SCRATCH_BYTES];
    char *buffers[TOSAJIT_MAX_TENSORS], *next = scratch;
    void *base[TOSAJIT_MAX_TENSORS];
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    set_strides(job, strides_of(w, w->rank - 2));
    for (int32_t t = 0; t < w->tensors; t++) {
        base[t] = job->tensors->pointers[t];
        buffers[t] = next;
        if (!(job->packed >> t & 1)) continue;
        job->strides[2 * t] = BLOCK_COLUMNS * job->tensors->element_sizes[t];
        next += BLOCK_ROWS * BLOCK_COLUMNS * job->tensors->element_sizes[t];
    }
    do run_blocks(job, base, buffers);
    while (next_outer(w, w->rank - 2, index, base));
}

/* Whether a tensor's elements follow each other through the whole walk. */
static bool is_linear(const walk *w, int32_t t, uint8_t element_size) {
    int64_t expected = element_size;
    for (int32_t d = w->rank; d-- > 0;) {
        if (strides_of(w, d)[t] != expected) return false;
        expected *= w->sizes[d];
    }
    return true;
}

/* Move `count` elements between a tensor, from index on, and a buffer. */
static void transfer(const walk *w, int32_t t, char *tensor, char *buffer, uint8_t size, const int64_t *from, int64_t count, bool gather) {
    int64_t index[TOSAJIT_MAX_RANK], inner = w->sizes[w->rank - 1], stride = strides_of(w, w->rank - 1)[t];
    memcpy(index, from, sizeof index);
    while (count > 0) {
        char *address = tensor;
        for (int32_t d = 0; d < w->rank; d++) address += index[d] * strides_of(w, d)[t];
        int64_t run = inner - index[w->rank - 1];
        if (run > count) run = count;
        if (gather)
            transpose_line(buffer, size, address, stride, run, size);
        else
            transpose_line(address, stride, buffer, size, run, size);
        buffer += run * size;
        count -= run;
        index[w->rank - 1] = 0;
        for (int32_t d = w->rank - 1; d-- > 0;) {
            if (++index[d] < w->sizes[d]) break;
            index[d] = 0;
        }
    }
}

/* Advance a multi-index by `count` elements. */
static void advance(const walk *w, int64_t *index, int64_t count) {
    for (int32_t d = w->rank; d-- > 0 && count;) {
        int64_t sum = index[d] + count;
        index[d] = sum % w->sizes[d];
        count = sum / w->sizes[d];
    }
}

/* All rows as one long row: what does not lie that way in memory is packed. */
static void run_packed_linear(tile_job *job) {
    const walk *w = job->w;
    _Alignas(64) char scratch[SCRATCH_BYTES];
    char *buffers[TOSAJIT_MAX_TENSORS];
    void *pointers[TOSAJIT_MAX_TENSORS];
    int64_t chunk = lay_out(job, scratch, buffers), total = 1, index[TOSAJIT_MAX_RANK] = {0};
    int32_t leaves = job->part->leaf_count;
    for (int32_t d = 0; d < w->rank; d++) total *= w->sizes[d];
    set_strides(job, NULL);
    for (int64_t start = 0; start < total; start += chunk) {
        int64_t count = total - start < chunk ? total - start : chunk;
        for (int32_t t = 0; t < w->tensors; t++) {
            bool packed = job->packed >> t & 1;
            int64_t stride = job->splat >> t & 1 ? 0 : job->tensors->element_sizes[t];
            pointers[t] = packed ? buffers[t] : (char *)job->tensors->pointers[t] + start * stride;
            if (packed && t < leaves)
                transfer(w, t, job->tensors->pointers[t], buffers[t], job->tensors->element_sizes[t], index, count, true);
        }
        job->entry(pointers, job->strides, 1, 1, count);
        for (int32_t t = leaves; t < w->tensors; t++)
            if (job->packed >> t & 1)
                transfer(w, t, job->tensors->pointers[t], buffers[t], job->tensors->element_sizes[t], index, count, false);
        advance(w, index, count);
    }
}

/* Decide for one long row: splats must repeat through all dimensions. False, and nothing changed, if the code has no such loop. */
static bool choose_linear(tile_job *job) {
    const walk *w = job->w;
    uint64_t all_zero = 0, packed = 0;
    for (int32_t t = 0; t < job->part->leaf_count; t++) {
        bool zero = true;
        for (int32_t d = 0; d < w->rank; d++) zero &= strides_of(w, d)[t] == 0;
        all_zero |= (uint64_t)zero << t;
    }
    for (int32_t v = 0; v < job->part->variant_count; v++) {
        const tosajit_variant *variant = &job->part->variants[v];
        if (variant->splat & ~all_zero & ~variant->either) continue;
        job->splat = all_zero & (variant->splat | variant->either);
        for (int32_t t = 0; t < w->tensors; t++)
            if (!(job->splat >> t & 1) && !is_linear(w, t, job->tensors->element_sizes[t])) packed |= UINT64_C(1) << t;
        job->packed = packed;
        return true;
    }
    return false;
}

/* Joining rows: the inner dimensions as one long row, as far as a chunk goes. Operands that lie otherwise are packed by their pattern,
 * again only where it moves. */
enum {
    JOINED = 2048,     /* elements of a chunk, about, */
    MOST_BYTES = 8192, /* and bytes of one in a tensor, at most */
    MOST_PACKED = 3,   /* operands */
    WHOLE_LINES = 64,  /* elements that are whole cache lines, whatever their size */
};

typedef struct joining {
    tile_job *job;
    int32_t split;      /* the dimension that is cut into chunks; those inside it are joined whole */
    int64_t unit, step; /* elements inside it; indices of it in a chunk */
    int32_t packed_count, packed[MOST_PACKED];
    pack patterns[MOST_PACKED];
    const char *sources[MOST_PACKED]; /* what the buffers hold; null: nothing yet */
    char *buffers[MOST_PACKED];
} joining;

/* Whether a tensor's elements follow each other through dimensions d.. of the walk; or are all the same there. */
static bool follows(const walk *w, int32_t t, int32_t d, uint8_t size) {
    int64_t expected = size;
    for (int32_t i = w->rank; i-- > d;) {
        if (strides_of(w, i)[t] != expected) return false;
        expected *= w->sizes[i];
    }
    return true;
}

static bool stands(const walk *w, int32_t t, int32_t d) {
    for (int32_t i = d; i < w->rank; i++)
        if (strides_of(w, i)[t] != 0) return false;
    return true;
}

/* In bytes. */
static int64_t widest_element(const tile_job *job) {
    int64_t widest = 1;
    for (int32_t t = 0; t < job->w->tensors; t++)
        if (job->tensors->element_sizes[t] > widest) widest = job->tensors->element_sizes[t];
    return widest;
}

/* How the dimensions are cut, and which operands are packed. False if the code or a result does not allow it. */
static bool plan_joining(joining *j) {
    tile_job *job = j->job;
    const walk *w = job->w;
    const int64_t widest = widest_element(job), most = MOST_BYTES / widest < JOINED ? MOST_BYTES / widest : JOINED;
    j->split = w->rank - 1;
    for (j->unit = 1; j->split > 0 && j->unit * w->sizes[j->split] <= PACK_PERIOD; j->split--) j->unit *= w->sizes[j->split];
    if (j->unit == 1) return false;
    j->step = most / j->unit; /* whole cache lines, so that an aligned result stays so */
    int64_t whole = WHOLE_LINES;
    while (whole > 1 && whole / 2 * j->unit % WHOLE_LINES == 0) whole /= 2;
    if (j->step > whole) j->step -= j->step % whole;
    if (j->step > w->sizes[j->split]) j->step = w->sizes[j->split];
    uint64_t same = 0, linear = 0;
    for (int32_t t = 0; t < w->tensors; t++) {
        linear |= (uint64_t)follows(w, t, j->split, job->tensors->element_sizes[t]) << t;
        if (t < job->part->leaf_count) same |= (uint64_t)stands(w, t, j->split) << t;
    }
    if (linear >> job->part->leaf_count != (~UINT64_C(0) >> (64 - job->part->result_count))) return false;
    int32_t v = 0;
    while (v < job->part->variant_count && job->part->variants[v].splat & ~same & ~job->part->variants[v].either) v++;
    if (v == job->part->variant_count) return false;
    job->splat = same & (job->part->variants[v].splat | job->part->variants[v].either);
    job->packed = 0;
    j->packed_count = 0;
    for (int32_t t = 0; t < job->part->leaf_count; t++) {
        if ((job->splat | linear) >> t & 1) continue;
        if (j->packed_count == MOST_PACKED) return false;
        j->packed[j->packed_count++] = t;
        job->packed |= UINT64_C(1) << t;
    }
    return true;
}

/* What packing an operand for a joined walk costs, in ns. One that does not move from chunk to chunk is packed once, and what repeats in it
 * is copied. */
static double packing_cost(const joining *j, int32_t t, double elements) {
    static const double copied = 0.1;
    const walk *w = j->job->w;
    bool moves = false;
    for (int32_t d = 0; d <= j->split; d++) moves |= strides_of(w, d)[t] != 0;
    return pack_cost(w, t, j->split, j->job->tensors->element_sizes[t], moves ? elements : copied * (double)(j->unit * j->step));
}

/* Whether joining rows is worth its while: what tiles, planes, rows and vectors cost the code as they are, and what packing, chunks and one
 * long row cost instead; in ns, fitted to what sums of two operands take. */
static bool joining_pays(const joining *j) {
    static const double tile = 4.2, plane = 0.9, row = 0.75, vector = 0.45, start = 130, chunk = 3.3, long_row = 0.011; /* a byte */
    static const double light = 0.4, wasted = 8; /* of a long computation the lanes that a row does not fill cost, too */
    static const double stall = 4.5;             /* a row's first load after a masked store that ends where it begins */
    enum { VECTOR_BYTES = 64 };
    const tile_job *job = j->job;
    walk w; /* not initialised: copied as far as it is used */
    walk_copy(&w, job->w);
    tile_order(&w, job->part->has_planes);
    const int64_t widest = widest_element(job);
    const double elements = (double)element_count(&w), rows = elements / (double)w.sizes[w.rank - 1];
    const double planes = rows / (double)w.sizes[w.rank - 2];
    const double tiles = w.rank > 2 && job->part->has_planes ? planes / (double)w.sizes[w.rank - 3] : planes;
    const double vectors = (double)((w.sizes[w.rank - 1] * widest - 1) / VECTOR_BYTES);
    double joined = start + chunk * elements / (double)(j->unit * j->step) + long_row * (double)widest * elements,
           each_row = row + vector * vectors;
    for (int32_t k = 0; k < j->packed_count; k++) joined += packing_cost(j, j->packed[k], elements);
    if (job->in_place && w.sizes[w.rank - 1] * widest % VECTOR_BYTES) each_row += stall;
    if (job->part->element_ns > light) each_row += wasted * (job->part->element_ns - light);
    return joined < tile * tiles + plane * planes + rows * each_row;
}

/* One chunk: `count` elements from where pointers say. */
static void run_joined_chunk(joining *j, void *const *base, int64_t count) {
    tile_job *job = j->job;
    void *pointers[TOSAJIT_MAX_TENSORS];
    for (int32_t t = 0; t < job->w->tensors; t++) pointers[t] = base[t];
    for (int32_t k = 0; k < j->packed_count; k++) {
        int32_t t = j->packed[k];
        if (j->sources[k] != base[t]) pack_gather(&j->patterns[k], base[t], count, j->buffers[k]);
        j->sources[k] = count == j->unit * j->step ? base[t] : NULL; /* a last, shorter one is not kept */
        pointers[t] = j->buffers[k];
    }
    job->entry(pointers, job->strides, 1, 1, count);
}

static void run_joined(joining *j) {
    tile_job *job = j->job;
    const walk *w = job->w;
    void *outer[TOSAJIT_MAX_TENSORS], *base[TOSAJIT_MAX_TENSORS];
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    set_strides(job, NULL);
    for (int32_t t = 0; t < w->tensors; t++) outer[t] = job->tensors->pointers[t];
    do {
        for (int64_t at = 0; at < w->sizes[j->split]; at += j->step) {
            int64_t left = w->sizes[j->split] - at, steps = left < j->step ? left : j->step;
            for (int32_t t = 0; t < w->tensors; t++) base[t] = (char *)outer[t] + at * strides_of(w, j->split)[t];
            run_joined_chunk(j, base, steps * j->unit);
        }
    } while (next_outer(w, j->split, index, outer));
}

/* Join short rows if that pays; false, and nothing done, if not. */
static bool try_joined(tile_job *job) {
    joining j; /* not initialised: large, and filled as far as it is used */
    _Alignas(64) char scratch[MOST_PACKED * (MOST_BYTES + PACK_SLACK)];
    const uint64_t splat = job->splat, packed = job->packed;
    j.job = job;
    bool joins = plan_joining(&j) && joining_pays(&j);
    for (int32_t k = 0; joins && k < j.packed_count; k++) {
        int32_t t = j.packed[k];
        j.sources[k] = NULL;
        j.buffers[k] = scratch + k * (MOST_BYTES + PACK_SLACK);
        joins = pack_prepare(job->w, t, j.split, job->tensors->element_sizes[t], &j.patterns[k]);
    }
    if (joins) {
        run_joined(&j);
    } else {
        job->splat = splat;
        job->packed = packed;
    }
    return joins;
}

/* Decide for rows as they are: what is neither contiguous nor a splat is packed; so is a splat that no loop takes as one. */
static void choose_rows(tile_job *job) {
    const walk *w = job->w;
    const int64_t *columns = strides_of(w, w->rank - 1);
    uint64_t zero = 0;
    job->packed = 0;
    for (int32_t t = 0; t < w->tensors; t++) {
        bool is_leaf = t < job->part->leaf_count;
        if (columns[t] == 0 && is_leaf)
            zero |= UINT64_C(1) << t;
        else if (columns[t] != job->tensors->element_sizes[t])
            job->packed |= UINT64_C(1) << t;
    }
    job->splat = zero;
    if (tile_has_loop(job->part, zero)) return;
    for (int32_t v = 0; v < job->part->variant_count; v++) {
        const tosajit_variant *variant = &job->part->variants[v];
        if (variant->splat & ~zero & ~variant->either) continue;
        job->splat = zero & (variant->splat | variant->either);
        job->packed |= zero & ~job->splat;
        return;
    }
}

/* Whether rows are short enough to be joined. */
static bool has_short_rows(const walk *w, bool in_place) {
    enum { SHORT_IN_PLACE = 256 }; /* columns */
    return w->rank > 1 && w->sizes[w->rank - 1] <= (in_place ? SHORT_IN_PLACE : PLAN_SHORT_ROW);
}

bool tile_is_direct(const plan_part *part, const walk *w, const tile_tensors *tensors, bool in_place) {
    tile_job job; /* not initialised, like the next one: large, and filled as far as they are used */
    joining j;
    job.part = part;
    job.w = w;
    job.tensors = tensors;
    job.in_place = in_place;
    j.job = &job;
    return !has_short_rows(w, in_place) || !plan_joining(&j) || !joining_pays(&j);
}

/* One element per row and one row: any loop serves, with its own classes. */
static void run_single(tile_job *job) {
    job->splat = job->part->variants[0].splat;
    set_strides(job, NULL);
    job->entry(job->tensors->pointers, job->strides, 1, 1, 1);
}

void tile_run(const plan_part *part, tosajit_entry entry, const walk *w, const tile_tensors *tensors, bool streams) {
    tile_job job; /* not initialised: its arrays are large, and filled as far as they are used */
    job.part = part;
    job.entry = entry;
    job.w = w;
    job.tensors = tensors;
    job.in_place = is_in_place(part, tensors);
    int64_t cols = w->sizes[w->rank - 1];
    if (cols == 1) {
        run_single(&job); /* coalescing leaves a size of 1 only where it is the whole space */
        return;
    }
    choose_rows(&job);
    if (has_short_rows(w, job.in_place) && try_joined(&job)) return;
    if (!job.packed && streams && can_stream(&job)) {
        run_streamed(&job);
        return;
    }
    if (!job.packed) {
        run_direct(&job);
        return;
    }
    if (w->rank > 1 && cols <= SHORT_ROW && choose_linear(&job))
        run_packed_linear(&job);
    else if (blocks_pay(&job))
        run_packed_blocks(&job);
    else
        run_packed_rows(&job);
}
