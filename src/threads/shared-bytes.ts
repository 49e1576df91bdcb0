// Bytes in memory that all threads share: they cross without being copied.

/**
 * Memory without content, of the size of shared memory that the calling thread holds. V8 counts shared memory for no
 * thread, and would let hundreds of megabytes wait for a collection that nothing else asks for; this it counts, and since
 * nobody touches it, it takes address space alone.
 */
const weights = new WeakMap<SharedArrayBuffer, ArrayBuffer>()

/** Has the calling thread's garbage collector count shared memory that has come from another thread. */
export function weigh(memory: ArrayBufferLike): void {
  if (memory instanceof SharedArrayBuffer && !weights.has(memory)) {
    weights.set(memory, new ArrayBuffer(memory.byteLength))
  }
}

/** Memory for so many bytes that threads may share. */
export function sharedMemory(bytes: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes)
  weigh(memory)
  return memory
}

/** Shorter bytes are copied sooner than memory for them is shared. */
const MIN_BYTES = 64 * 1024

/** The bytes in shared memory: themselves if they are there, else a copy. */
export function inSharedMemory(octets: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const { buffer, byteOffset, length } = octets
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length)
  const copy = new Uint8Array(sharedMemory(length))
  copy.set(octets)
  return copy
}

/** A copy that goes to other threads: it has memory of its own, which they share where the bytes are many. */
export const copyForThreads = (octets: Uint8Array): Uint8Array =>
  octets.length < MIN_BYTES ? new Uint8Array(octets) : inSharedMemory(octets)
