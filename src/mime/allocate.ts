// Allocators for composed messages: private memory, memory shared with other threads, or short-lived memory.

/** Allocates that many bytes, of any content. */
export type Allocate = (bytes: number) => Buffer
