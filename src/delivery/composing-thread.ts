// Program of the thread that composes large messages and hashes their bodies for DKIM.

import { relaxedBodyHash } from '../dkim/relaxed-body.ts'
import { downgraded, type LackedExtension } from '../mime/downgrade.ts'
import type { ComposedMessage } from '../model/composed-message.ts'
import type { ContentFormat } from '../model/message.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { inSharedMemory, sharedMemory } from '../threads/shared-bytes.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { CannotCompose, composeOpened, hasOwnLinks, openStored } from './composition.ts'
import type { MessageIdentity, RecipientLink } from './recipient-link.ts'

/** Jobs of the thread: composing one form of a message. */
export interface ComposeJobs {
  compose: { readonly job: ComposeJob; readonly result: ComposeResult }
}

export interface ComposeJob {
  readonly format: ContentFormat
  readonly content: Uint8Array<ArrayBuffer>
  readonly message: MessageIdentity
  /** Links of the recipient, used only if each recipient gets different links. */
  readonly link: RecipientLink
  /** SMTP extensions that the receiving host lacks. */
  readonly lacking: readonly LackedExtension[]
}

/** A composed message that is sent from one thread to another. */
export interface ComposedInThread extends Omit<ComposedMessage, 'body'> {
  /** Body in shared memory, so that the SMTP thread need not copy the body. */
  readonly body: Uint8Array<SharedArrayBuffer>
  /** Body hash for the `bh=` tag of the DKIM signatures. */
  readonly bodyHash: string
  /** True if the message contains links of its recipient. */
  readonly hasOwnLink: boolean
}

export interface ComposeResult {
  /** The content of the job, unchanged. */
  readonly content: Uint8Array<ArrayBuffer>
  /**
   * The message, or the reason why the content cannot be composed; undefined if the message has no form for a host
   * without these SMTP extensions.
   */
  readonly composed: ComposedInThread | { readonly cannot: string } | undefined
}

const giveMemoryBack = becomeBulkThread()

serveJobs<ComposeJobs>(
  (_, job) => ({ content: job.content, composed: composed(job) }),
  ({ content }) => {
    // `setImmediate` delays the callback until the result has been sent.
    setImmediate(giveMemoryBack)
    return [content.buffer]
  },
)

const allocate = (bytes: number): Buffer => Buffer.from(sharedMemory(bytes))

function composed({ format, content, message, link, lacking }: ComposeJob): ComposeResult['composed'] {
  try {
    const opened = openStored({ format, content })
    const hasOwnLink = hasOwnLinks(opened)
    const own = hasOwnLink ? link : undefined
    const made = downgraded(composeOpened(opened, message, own, allocate), lacking)
    if (made === undefined) return undefined
    return { ...made, body: inSharedMemory(made.body), bodyHash: relaxedBodyHash(made.body), hasOwnLink }
  } catch (error) {
    if (error instanceof CannotCompose) return { cannot: String(error.cause) }
    throw error
  }
}
