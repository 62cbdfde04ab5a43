/* Pages: memory for code, from the system. Written, then sealed: it is never writable and executable at once.
 *
 * Pieces of a few pages share a mapping of sixteen, from which they take pages in turn; that saves most of the system's time for each. What
 * was given back is used again, or goes, when the mapping has been used up: until then up to 64 KiB stay. Any number of threads may call
 * these functions at once; a process that forks meanwhile is served, too. */
#ifndef TOSAJIT_RUNTIME_PAGES_H
#define TOSAJIT_RUNTIME_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Writable memory that begins at a page and has whole pages; null if there is none. */
void *pages_take(size_t size);

/* Make what was taken executable, and read-only until it is given back; false if the system refuses it. */
bool pages_seal(void *memory, size_t size);

/* Of the size that was taken. */
void pages_give(void *memory, size_t size);

/* Whether this process may have memory for code. Nothing of the trial stays. */
bool pages_may_be_code(void);

#endif
