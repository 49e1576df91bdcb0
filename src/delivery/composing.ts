// Composes large messages in a thread, one at a time and fairly by account, so that the event loop stays responsive.

import type { LackedExtension } from '../mime/downgrade.ts'
import type { ComposedMessage } from '../model/composed-message.ts'
import type { Content } from '../store/queue/queue.ts'
import { freeBuffers } from '../threads/free-buffers.ts'
import { weigh } from '../threads/shared-bytes.ts'
import { FairThreads } from '../threads/worker-pool.ts'
import type { ComposeJobs, ComposeResult } from './composing-thread.ts'
import { CannotCompose } from './composition.ts'
import type { MessageIdentity, RecipientLink } from './recipient-link.ts'

/**
 * Content size in bytes from which a message is composed in a thread; composing a message of this size takes about 5
 * ms.
 */
const LARGE = 256 * 1024
/** Maximum duration of a composition; a longer composition is a bug, and the message is tried again later. */
const MAX_MS = 60_000
/** Maximum number of waiting messages: unlimited, because the slots of deliveries limit the number of messages. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER
/** Heap size in MiB, enough for a message of 100 MiB as JSON, as parsed values and with converted line endings. */
const HEAP_MB = 1_024

/** A composed message with the body hash for the `bh=` tag of its DKIM signatures. */
export interface ComposedLarge extends ComposedMessage {
  readonly bodyHash: string
  /** True if the message contains links of its recipient. */
  readonly hasOwnLink: boolean
}

/** Composes large messages in a thread that starts with the first large message. */
export class ComposingThread extends FairThreads<ComposeJobs> {
  readonly name = 'composing thread'
  readonly #large: number

  /** @param large content size in bytes from which a message is composed in the thread */
  constructor(large: number = LARGE) {
    super({
      program: new URL('./composing-thread.ts', import.meta.url),
      heapMb: HEAP_MB,
      maxQuick: 1,
      ...{ times: { firstSlice: MAX_MS, long: MAX_MS }, maxWaiting: MAX_WAITING, jobWeight: 1 },
      failed: (reason) => new Error(`the message was not composed: ${reason}`),
      refused: {
        full: () => new Error('too many messages wait'),
        gone: () => new Error('no job waits for a result'),
      },
      stopped: () => new Error('the message was not composed: the node stops'),
    })
    this.#large = large
  }

  /** True if a message with this content is composed in the thread. */
  isLarge({ content }: Content): boolean {
    return content.length >= this.#large
  }

  /**
   * Takes over a message. The content is detached while the thread has it, so the caller must no longer use the
   * content.
   */
  open(stored: MessageIdentity & Content & { readonly accountId: string }): LargeMessage {
    return new LargeMessage(this, stored)
  }
}

/** A large message, composed in one form at a time. */
export class LargeMessage {
  readonly #thread: ComposingThread
  readonly #accountId: string
  readonly #format: Content['format']
  readonly #message: MessageIdentity
  /** Content of the message; undefined if no longer needed, or if lost with the thread. */
  #content: Uint8Array<ArrayBuffer> | undefined
  /** The composed message, if all recipients get the same message. */
  #common: ComposedLarge | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(thread: ComposingThread, stored: MessageIdentity & Content & { readonly accountId: string }) {
    const { accountId, format, content, id, domainName, stream, createdAt } = stored
    this.#thread = thread
    this.#accountId = accountId
    this.#format = format
    this.#message = { id, domainName, stream, createdAt }
    this.#content = wholeBuffer(content)
  }

  /**
   * Returns the message for a recipient. The message is the same for all recipients unless each recipient gets
   * different links. Throws `CannotCompose` for invalid content, and another error if the thread fails.
   */
  composed(link: RecipientLink): Promise<ComposedLarge> {
    return this.#inTurn(async () => {
      if (this.#common !== undefined) return this.#common
      const message = readComposed(await this.#run(link, []))
      if (message === undefined) throw new Error('the usual form of a message is missing')
      if (message.hasOwnLink) return message
      this.#common = message
      // Every host accepts this form of the message, so the content is no longer needed.
      if (!message.needs8Bit && !message.needsSmtpUtf8) this.#dropContent()
      return message
    })
  }

  /**
   * Returns the message for a host that lacks these SMTP extensions; undefined if the message has no such form. Throws
   * the same errors as `composed`.
   */
  downgraded(link: RecipientLink, lacking: readonly LackedExtension[]): Promise<ComposedLarge | undefined> {
    return this.#inTurn(async () => {
      if (this.#content === undefined && this.#common !== undefined) return this.#common
      return readComposed(await this.#run(link, lacking))
    })
  }

  #dropContent(): void {
    if (this.#content !== undefined) freeBuffers(this.#content)
    this.#content = undefined
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  /** Composes the message in the thread, which has the content until the result arrives. */
  async #run(link: RecipientLink, lacking: readonly LackedExtension[]): Promise<ComposeResult['composed']> {
    const content = this.#content
    if (content === undefined) throw new Error('the message was lost with the thread that composed it')
    this.#content = undefined
    const result = await this.#thread.run(
      { accountId: this.#accountId },
      'compose',
      { format: this.#format, content, message: this.#message, link, lacking },
      0,
      [content.buffer],
    )
    this.#content = result.content
    return result.composed
  }
}

function readComposed(composed: ComposeResult['composed']): ComposedLarge | undefined {
  if (composed === undefined) return undefined
  if ('cannot' in composed)
    throw new CannotCompose('the stored message cannot be composed', { cause: composed.cannot })
  const { body } = composed
  weigh(body.buffer)
  return { ...composed, body: Buffer.from(body.buffer, body.byteOffset, body.length) }
}

/** Returns the bytes in a separate buffer, which can be transferred to a thread without a copy. */
function wholeBuffer(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = typeof content !== 'string' && content.length === content.buffer.byteLength
  if (isWhole && content.buffer instanceof ArrayBuffer) return new Uint8Array(content.buffer)
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
}
