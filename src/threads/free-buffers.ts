// Bytes that nobody needs any more: their memory is given back at once.

/** Below that the call costs more than the garbage. */
const MIN_BYTES = 16 * 1024

/**
 * Frees the memory of bytes, if they are all of their buffer: it stands outside of the heap, so that garbage collection
 * would find out late, and would come often on its account. Nobody may have another view of them.
 */
export function freeBuffers(octets: Uint8Array): void {
  const { buffer } = octets
  if (isWorthIt(octets) && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Frees bytes that a parser or reader may still have in this turn. */
export function freeBuffersLater(octets: Uint8Array): void {
  if (isWorthIt(octets)) queueMicrotask(() => freeBuffers(octets))
}

const isWorthIt = ({ buffer, byteLength }: Uint8Array): boolean =>
  byteLength >= MIN_BYTES && byteLength === buffer.byteLength
