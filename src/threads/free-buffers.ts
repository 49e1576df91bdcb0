// Frees the memory of bytes as soon as the bytes are no longer needed.

/**
 * Minimum size, in bytes, of memory that is freed; freeing a smaller buffer costs more than leaving the buffer to
 * garbage collection.
 */
const MIN_BYTES = 16 * 1024

/**
 * Frees the memory of bytes if the bytes fill their buffer. The memory is outside the heap, so garbage collection would
 * free the memory late and would run often. No other view of the bytes may be in use.
 */
export function freeBuffers(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (isWorthIt(bytes) && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Frees bytes in a microtask, because a parser or reader may still use the bytes in the current call. */
export function freeBuffersLater(bytes: Uint8Array): void {
  if (isWorthIt(bytes)) queueMicrotask(() => freeBuffers(bytes))
}

const isWorthIt = ({ buffer, byteLength }: Uint8Array): boolean =>
  byteLength >= MIN_BYTES && byteLength === buffer.byteLength
