// Octets in memory that all threads share: they cross without being copied.

/** Shorter octets are copied sooner than memory for them is shared. */
const MIN_BYTES = 64 * 1024

/** The octets in shared memory: themselves if they are there, else a copy. */
export function inSharedMemory(octets: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const { buffer, byteOffset, length } = octets
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length)
  const copy = new Uint8Array(new SharedArrayBuffer(length))
  copy.set(octets)
  return copy
}

/** A copy that goes to other threads: it has memory of its own, which they share where the octets are many. */
export const copyForThreads = (octets: Uint8Array): Uint8Array =>
  octets.length < MIN_BYTES ? new Uint8Array(octets) : inSharedMemory(octets)
