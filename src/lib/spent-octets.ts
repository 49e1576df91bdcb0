// Octets that nobody needs any more: their memory is given back at once.

/** Below that the call costs more than the garbage. */
const MIN_BYTES = 16 * 1024

/**
 * Frees the memory of octets, if they are all of their buffer: it stands outside of the heap, so that garbage collection
 * would find out late, and would come often on its account. Nobody may have another view of them; what a parser is
 * reading may be freed after its turn (`queueMicrotask`).
 */
export function freeOctets({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < MIN_BYTES || byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
