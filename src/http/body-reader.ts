// Parses large JSON bodies in a thread, one at a time and fairly by account, so that parsing does not block the event
// loop.

import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Problem, type ProblemCode } from '../model/problem.ts'
import { collectingBeyond } from '../threads/bulk-thread.ts'
import { inBatches } from '../threads/message-batching.ts'
import { FairThreads } from '../threads/worker-pool.ts'
import { type BodyMemory, noMemory } from './body-upload.ts'
import type { Expected, JsonBody } from './json-body.ts'
import { unpackModelNumbers } from './template-numbers.ts'

/**
 * Maximum CPU time for one body in milliseconds, which only a hostile body exceeds. A body has no second slice: its
 * bytes are transferred, so no other thread can parse the body again.
 */
const MAX_CPU_MS = 10_000
/** Heap limit of the thread in MiB, enough for a body of 50 MiB as text and as parsed values. */
const HEAP_MB = 512
/**
 * Maximum number of waiting bodies, unlimited because the memory limit of all bodies already limits the waiting bodies.
 */
const MAX_WAITING = Number.MAX_SAFE_INTEGER

/**
 * Garbage of large texts on the heap of the event loop that triggers a collection, in bytes. V8 alone would keep the
 * texts of dozens of finished requests.
 */
const MAX_GARBAGE = 64 * 1024 * 1024

/** Parsed large body, with its bytes. */
export interface ReadBody extends JsonBody {
  readonly bytes: Buffer
}

/**
 * Consecutive values of a body that is an array. The thread sends the next part after an empty message to the port.
 * `isPacked` is true if `packModelNumbers` has replaced numbers, so that the numbers have to be unpacked.
 */
export interface BodyPart {
  readonly values: readonly unknown[]
  readonly isPacked: boolean
}

export interface BodyJobs {
  /** Parses a body. The values of an array are sent to the port `parts`, and the array in the result is empty. */
  read: {
    readonly job: {
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly expected: Expected
      readonly parts: MessagePort
    }
    readonly result:
      | { readonly body: JsonBody; readonly bytes: Uint8Array<ArrayBuffer>; readonly isPacked: boolean }
      | { readonly problem: Pick<Problem, 'code' | 'message' | 'errors'> }
  }
}

/**
 * The thread that parses large bodies, which starts with the first large body. The next body is parsed when the memory
 * of the previous body is released, so that bodies whose requests wait for the store do not fill the memory. The text
 * of a body is on the heap of the event loop in addition to the bytes of the body, and remains there for a while as
 * garbage.
 */
export class BodyReader extends FairThreads<BodyJobs> {
  readonly name = 'body reader'
  #collectGarbage: (() => void) | undefined

  /** @param idleMs time without a body after which the thread ends, in milliseconds; default as in `FairThreads` */
  constructor(idleMs?: number) {
    super({
      ...{ program: new URL('./body-thread.ts', import.meta.url), heapMb: HEAP_MB, maxQuick: 1 },
      ...{ times: { firstSlice: MAX_CPU_MS, long: MAX_CPU_MS }, maxWaiting: MAX_WAITING, jobWeight: 1 },
      ...(idleMs !== undefined && { idleMs }),
      failed: (reason) => {
        const cause = new Error(reason)
        return new Problem('body_too_large', 'The body cannot be read here; send less at once.', { cause })
      },
      refused: {
        full: noMemory,
        gone: () => new Problem('malformed_request', 'The client closed the connection.'),
      },
      stopped: () => new Problem('unavailable', 'The node is shutting down; try again.'),
    })
  }

  /**
   * Parses a body. The caller must no longer use the bytes, which become part of the result. Throws a `Problem` for a
   * body that cannot be parsed.
   */
  async read(bytes: Buffer, expected: Expected, held: BodyMemory): Promise<ReadBody> {
    const own = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length)
    const { port1, port2: parts } = new MessageChannel()
    // A buffer that contains only the body is transferred without a copy.
    const transferred = own.length === own.buffer.byteLength ? [parts, own.buffer] : [parts]
    const workFor = {
      accountId: held.owner,
      isGone: () => held.released,
      keepPlace: (release: () => void) => {
        const end = (): void => {
          this.#collectGarbage ??= collectingBeyond(MAX_GARBAGE)
          this.#collectGarbage()
          release()
        }
        if (held.released) end()
        else held.onRelease = end
      },
    }
    const values = valuesFrom(port1)
    try {
      const result = await this.run(workFor, 'read', { bytes: own, expected, parts }, 0, transferred)
      if ('body' in result) {
        held.bytes = result.bytes
        return withBuffers(result, values)
      }
      const { code, message, errors } = result.problem
      throw new Problem(code as ProblemCode, message, { errors })
    } finally {
      port1.close()
    }
  }
}

/** Returns the list to which the values of all received parts are added. */
function valuesFrom(port: MessagePort): readonly unknown[] {
  const all: unknown[] = []
  const onPart = ({ values, isPacked }: BodyPart): void => {
    if (isPacked) unpackModelNumbers(values)
    for (const one of values) all.push(one)
    port.postMessage(undefined)
  }
  port.on('message', inBatches(onPart))
  return all
}

/** Returns the body of a result; its bytes, which the thread sends as plain arrays, become buffers. */
function withBuffers(
  { body, bytes, isPacked }: Extract<BodyJobs['read']['result'], { readonly body: unknown }>,
  values: readonly unknown[],
): ReadBody {
  const { value, utf8 } = body
  if (isPacked) unpackModelNumbers(value)
  return {
    ...body,
    ...(utf8 === undefined ? {} : { utf8: Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length) }),
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    value: Array.isArray(value) ? values : value,
  }
}
