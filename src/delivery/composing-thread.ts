// The program of the thread that composes large messages and hashes their bodies for signing.

import { relaxedBodyHash } from '../dkim/relaxed-body.ts'
import { downgraded, type LackedExtension } from '../mime/downgrade.ts'
import type { ComposedMessage } from '../model/composed-message.ts'
import type { ContentFormat } from '../model/message.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { inSharedMemory, sharedMemory } from '../threads/shared-bytes.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { CannotCompose, composeOpened, hasOwnLinks, openStored } from './composition.ts'
import type { MessageIdentity, RecipientLink } from './recipient-link.ts'

/** Composes one form of a message. */
export interface ComposeJobs {
  compose: { readonly job: ComposeJob; readonly result: ComposeResult }
}

export interface ComposeJob {
  readonly format: ContentFormat
  readonly content: Uint8Array<ArrayBuffer>
  readonly message: MessageIdentity
  /** Used only if the message has links for each recipient. */
  readonly link: RecipientLink
  /** Extensions that the host lacks. */
  readonly lacking: readonly LackedExtension[]
}

/** A composed message on its way between threads. */
export interface ComposedInThread extends Omit<ComposedMessage, 'body'> {
  /** Body in shared memory, so that the thread of the dialogs need not copy it. */
  readonly body: Uint8Array<SharedArrayBuffer>
  /** The `bh=` of its signatures. */
  readonly bodyHash: string
  /** True if it contains links of its recipient. */
  readonly hasOwnLink: boolean
}

export interface ComposeResult {
  /** The content, unchanged. */
  readonly content: Uint8Array<ArrayBuffer>
  /** The message, or the reason why it cannot be composed; undefined if the message has no form for that host. */
  readonly composed: ComposedInThread | { readonly cannot: string } | undefined
}

const giveMemoryBack = becomeBulkThread()

serveJobs<ComposeJobs>(
  (_, job) => ({ content: job.content, composed: composed(job) }),
  ({ content }) => {
    // Runs after the result has been sent.
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
