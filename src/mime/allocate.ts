// Allocators for composed messages: private memory, memory shared with other threads, or short-lived memory.

/** Allocates this number of bytes, with arbitrary content. */
export type Allocate = (bytes: number) => Buffer
