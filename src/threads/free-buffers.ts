// Frees the memory of bytes that are no longer needed, at once.

/** Below this size the call costs more than the garbage. */
const MIN_BYTES = 16 * 1024

/**
 * Frees the memory of bytes if they fill their buffer. The memory is outside the heap, so garbage collection would
 * free it late, and would run often because of it. No other view of the bytes may be in use.
 */
export function freeBuffers(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (isWorthIt(bytes) && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Frees bytes that a parser or reader may still use in this turn. */
export function freeBuffersLater(bytes: Uint8Array): void {
  if (isWorthIt(bytes)) queueMicrotask(() => freeBuffers(bytes))
}

const isWorthIt = ({ buffer, byteLength }: Uint8Array): boolean =>
  byteLength >= MIN_BYTES && byteLength === buffer.byteLength
