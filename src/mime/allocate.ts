// The making of memory for what is composed: of one's own, shared with other threads, or used for a moment only.

/** Makes memory for so many bytes, of any content. */
export type Allocate = (bytes: number) => Buffer
