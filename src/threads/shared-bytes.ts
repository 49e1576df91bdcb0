// Bytes in memory that all threads share, so that the bytes move between threads without a copy.

import { copyInTurns } from './copy-in-turns.ts'

/**
 * Unused buffers with the sizes of the shared memory that the calling thread holds. V8 does not count shared memory for
 * any thread, and would accumulate hundreds of megabytes that no collection frees. V8 does count these buffers, which
 * take only address space because nothing accesses their content.
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

/** Minimum size in bytes of shared memory; copying a smaller buffer is cheaper than sharing. */
const MIN_BYTES = 64 * 1024

/** Returns the bytes in shared memory; copies the bytes unless they are already in shared memory. */
export function inSharedMemory(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length)
  const copy = new Uint8Array(sharedMemory(length))
  copy.set(bytes)
  return copy
}

/**
 * Returns a copy of the bytes for other threads; a large copy is in shared memory, and is made in short turns of the event
 * loop. The bytes must not change meanwhile.
 */
export async function copyForThreads(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length < MIN_BYTES) return new Uint8Array(bytes)
  if (bytes.buffer instanceof SharedArrayBuffer) return inSharedMemory(bytes)
  const copy = new Uint8Array(sharedMemory(bytes.length))
  await copyInTurns(bytes, copy)
  return copy
}
