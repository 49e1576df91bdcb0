// Mends submitted messages: small messages directly, and large messages in a thread, so that the event loop stays
// responsive.

import { mend } from '../mime/mend/mend.ts'
import type { MendProblem } from '../mime/mend/problem.ts'
import { FairThreads } from '../threads/worker-pool.ts'
import { HEADER_LIMITS } from './limits.ts'
import type { MendingJobs, MendJob } from './mending-thread.ts'
import { Refusal } from './replies.ts'

/** Size in bytes from which a message is mended in the thread; mending a message of this size takes about 5 ms. */
const LARGE = 256 * 1024
/** Time limits in milliseconds; mending a message of 25 MB takes about half a second. */
const TIMES = { firstSlice: 5_000, long: 20_000 }
/** Heap size in MiB, enough for the text of a message of 100 MiB. */
const HEAP_MB = 1_024
/** The number of waiting messages is unlimited, because the memory for submitted messages is limited. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER

/** Mends messages; the thread starts with the first large message. */
export class Mending extends FairThreads<MendingJobs> {
  readonly name = 'mending'

  constructor() {
    const failed = (): Refusal =>
      new Refusal(451, '4.3.0', 'The message cannot be read now; please try again')
    super({
      program: new URL('./mending-thread.ts', import.meta.url),
      ...{ heapMb: HEAP_MB, maxQuick: 1, times: TIMES, maxWaiting: MAX_WAITING, jobWeight: 1 },
      ...{ failed, refused: { full: failed, gone: failed }, stopped: failed },
    })
  }

  /**
   * Returns the mended message, or the reason why the message cannot be mended. The bytes of a large message are
   * detached, so the caller must no longer use them. Throws `Refusal` if the thread fails or stops.
   */
  async mended(
    accountId: string,
    message: Buffer,
    sending: MendJob['sending'],
  ): Promise<Buffer | MendProblem> {
    if (message.length < LARGE) return mend(message, sending, HEADER_LIMITS)
    const bytes = new Uint8Array(message.buffer as ArrayBuffer, message.byteOffset, message.length)
    const result = await this.run({ accountId }, 'mend', { bytes, sending }, message.length, [bytes.buffer])
    if ('problem' in result) return result.problem
    const { buffer, byteOffset, length } = result.bytes
    return Buffer.from(buffer, byteOffset, length)
  }
}
