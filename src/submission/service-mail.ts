// Sends the service's own mail like any other mail, from a domain of the operating account.

import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { originatingRun, outsideOfRuns } from '../lib/repeatable-run.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import type { ReportMail, SendReportMail, ServiceMail } from '../model/service-mail.ts'
import { SERVICE_STREAM, TLS_REPORT_STREAM } from '../model/stream.ts'
import { findOperatingAccount } from '../store/access/accounts.ts'
import { reading, type Store } from '../store/database/store.ts'
import { listDomains } from '../store/domains/domain-rows.ts'
import { removeSuppressions } from '../store/workspace/suppression-list.ts'
import { findSuppressions } from '../store/workspace/suppressions.ts'
import { NO_TRACKING, type SendingStream } from '../streams/streams.ts'
import type { MimeSubmission } from './accept.ts'
import type { Sender } from './authorize.ts'
import type { Submission } from './submit.ts'

/** Owner of stored service mail. The mail belongs to no account, so that no user can read the links of other users. */
const NOBODY = 'installation'

const streamOf = (alias: string): SendingStream => ({
  alias,
  kind: 'transactional',
  archived: false,
  spacingMs: undefined,
  retryForMs: undefined,
  counted: false,
  headers: {},
  unsubscribe: 'service',
  used: true,
  dmarcFound: true,
  tracking: NO_TRACKING,
  guard: 'off',
  ignored: [],
})

/**
 * Time for which a hard bounce suppresses mail of each stream. The time is limited, because the mailbox may exist again
 * later and no user can edit these suppression lists. Many addresses for TLS reports never exist.
 */
const BOUNCE_COUNTS_MS = { [SERVICE_STREAM]: 7 * 86_400_000, [TLS_REPORT_STREAM]: 30 * 86_400_000 }
type ServiceStream = keyof typeof BOUNCE_COUNTS_MS

export interface ServiceMailResources {
  readonly store: Store
  readonly clock: Clock
  readonly submission: Submission
}

/** Returns the operating account and its domain for service mail; undefined if there is no such domain. */
async function senderOfOwnMail({ read }: Pick<Store, 'read'>) {
  const operating = await reading(findOperatingAccount(read))
  if (operating === undefined || operating.status !== 'active') return undefined
  const domains = await reading(listDomains(read, operating.id))
  const domain = domains.find(({ status }) => status === 'verified')
  return domain && { operating, domain }
}

/** Returns true if the installation has a domain from which service mail can be sent. */
export const canSendOwnMail = async (store: Pick<Store, 'read'>): Promise<boolean> =>
  (await senderOfOwnMail(store)) !== undefined

/** Returns the function that sends service mail (`SendServiceMail`) and throws the errors of submitting. */
export const ownMail =
  ({ store, clock, submission }: ServiceMailResources) =>
  async ({ to, subject, text, once }: ServiceMail): Promise<boolean> => {
    const from = await senderOfOwnMail(store)
    if (from === undefined || !(await mayGet(store, from.domain.id, to, SERVICE_STREAM, clock.now())))
      return false
    const request = {
      from: addressOf(from),
      from_name: 'Postrider',
      to: [{ email: to }],
      subject,
      text,
    }
    const sender = senderOf(from, SERVICE_STREAM)
    const raw = JSON.stringify(request)
    // The idempotency key prevents a second mail when a request continues after a crash.
    const idempotencyKey =
      once === undefined
        ? originatingRun()?.draw(`mail ${to} ${subject}`, 16).toString('hex')
        : hashOf(`${once} ${to}`)
    await outsideOfRuns(() =>
      submission.submitRequest(sender, { request, raw, shapeProblems: [], idempotencyKey }),
    )
    return true
  }

/** Returns the functions that send reports by mail. `send` throws the errors of submitting. */
export const reportMail = ({ store, clock, submission }: ServiceMailResources): SendReportMail => ({
  async sender() {
    const from = await senderOfOwnMail(store)
    return from && { domain: from.domain.name, email: addressOf(from) }
  },
  async send(mail) {
    const from = await senderOfOwnMail(store)
    if (from === undefined) throw new Error('the installation has no domain to send reports from')
    if (!(await mayGet(store, from.domain.id, mail.to, TLS_REPORT_STREAM, clock.now()))) return false
    await submission.submitMime(senderOf(from, TLS_REPORT_STREAM), mimeOf(mail, clock.now()))
    return true
  },
})

/** Returns a complete mail as a submission. Throws for an invalid address. */
function mimeOf({ from, to, subject, content, once }: ReportMail, now: number): MimeSubmission {
  const [author, recipient] = [parseAddress(from), parseAddress(to)]
  if (!isAddress(author) || !isAddress(recipient)) throw new Error('a report has an invalid address')
  return {
    id: newId('msg', now),
    from: author,
    fromName: null,
    subject,
    recipients: [{ role: 'to', address: recipient, name: null }],
    withFields: () => content,
    tags: [],
    metadata: null,
    requireTls: false,
    tracking: {},
    stream: null,
    template: null,
    idempotency: { key: hashOf(`${once} ${to}`), bodyHash: hashOf(once) },
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

type OwnSender = NonNullable<Awaited<ReturnType<typeof senderOfOwnMail>>>

const addressOf = ({ domain }: OwnSender): string => `postrider@${domain.name}`

const senderOf = ({ operating, domain }: OwnSender, stream: ServiceStream): Sender => ({
  keyId: NOBODY,
  accountId: operating.id,
  domainId: domain.id,
  domainName: domain.name,
  domainStatus: domain.status,
  accountStatus: operating.status,
  counted: false,
  inboxId: null,
  storedBytesLimit: null,
  permittedRecipients: null,
  keptAs: NOBODY,
  stream: streamOf(stream),
})

/** True if the stream does not suppress the address; an old bounce no longer counts. */
async function mayGet(
  store: Store,
  domainId: string,
  to: string,
  stream: ServiceStream,
  now: number,
): Promise<boolean> {
  const address = parseAddress(to)
  if (!isAddress(address)) return true
  const entry = { stream, email: address.email }
  const found = (await reading(findSuppressions(store.read, [{ domainId, ...entry }]))).get(0)
  if (found === undefined) return true
  if (found.reason !== 'hard_bounce' || found.created_at > now - BOUNCE_COUNTS_MS[stream]) return false
  await store.write(removeSuppressions, { accountId: NOBODY, domainId, entries: [entry], force: false, now })
  return true
}
