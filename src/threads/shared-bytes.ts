// Bytes in memory that all threads share, which move between threads without a copy.

/**
 * Empty buffers with the size of the shared memory that the calling thread holds. V8 counts shared memory for no
 * thread, and would let hundreds of megabytes wait for a collection that nothing triggers. V8 counts these buffers;
 * as they are never touched, they only take address space.
 */
const weights = new WeakMap<SharedArrayBuffer, ArrayBuffer>()

/** Makes the garbage collector of the calling thread count shared memory received from another thread. */
export function weigh(memory: ArrayBufferLike): void {
  if (memory instanceof SharedArrayBuffer && !weights.has(memory)) {
    weights.set(memory, new ArrayBuffer(memory.byteLength))
  }
}

/** Allocates memory that threads may share. */
export function sharedMemory(bytes: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes)
  weigh(memory)
  return memory
}

/** Below this size copying is cheaper than sharing. */
const MIN_BYTES = 64 * 1024

/** Returns the bytes in shared memory: unchanged if they are there already, otherwise a copy. */
export function inSharedMemory(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length)
  const copy = new Uint8Array(sharedMemory(length))
  copy.set(bytes)
  return copy
}

/** Returns a copy for other threads, in memory of its own, which is shared memory if the bytes are many. */
export const copyForThreads = (bytes: Uint8Array): Uint8Array =>
  bytes.length < MIN_BYTES ? new Uint8Array(bytes) : inSharedMemory(bytes)
