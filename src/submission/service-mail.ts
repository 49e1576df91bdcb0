// Sends the service's own mail like any other mail, from a domain of the operating account.

import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { originatingRun, outsideOfRuns } from '../lib/repeatable-run.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import type { ServiceMail } from '../model/service-mail.ts'
import { SERVICE_STREAM } from '../model/stream.ts'
import { findOperatingAccount } from '../store/access/accounts.ts'
import { reading, type Store } from '../store/database/store.ts'
import { listDomains } from '../store/domains/domain-rows.ts'
import { removeSuppressions } from '../store/workspace/suppression-list.ts'
import { findSuppressions } from '../store/workspace/suppressions.ts'
import { NO_TRACKING, type SendingStream } from '../streams/streams.ts'
import type { Submission } from './submit.ts'

/** Owner of stored service mail. The mail belongs to no account, so that no user can read the links of other users. */
const NOBODY = 'installation'

const STREAM: SendingStream = {
  alias: SERVICE_STREAM,
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
}

/**
 * Time for which a hard bounce suppresses service mail. The time is limited, because the mailbox may exist again later
 * and no user can edit this suppression list.
 */
const BOUNCE_COUNTS_MS = 7 * 86_400_000

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
    if (from === undefined || !(await mayGet(store, from.domain.id, to, clock.now()))) return false
    const { operating, domain } = from
    const request = {
      from: `postrider@${domain.name}`,
      from_name: 'Postrider',
      to: [{ email: to }],
      subject,
      text,
    }
    const sender = {
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
      stream: STREAM,
    }
    const raw = JSON.stringify(request)
    // The idempotency key prevents a second mail when a request continues after a crash.
    const idempotencyKey =
      once === undefined
        ? originatingRun()?.draw(`mail ${to} ${subject}`, 16).toString('hex')
        : createHash('sha256').update(`${once} ${to}`).digest('hex').slice(0, 32)
    await outsideOfRuns(() =>
      submission.submitRequest(sender, { request, raw, shapeProblems: [], idempotencyKey }),
    )
    return true
  }

/** True if the address is not suppressed; an old bounce no longer counts. */
async function mayGet(store: Store, domainId: string, to: string, now: number): Promise<boolean> {
  const address = parseAddress(to)
  if (!isAddress(address)) return true
  const entry = { stream: SERVICE_STREAM, email: address.email }
  const found = (await reading(findSuppressions(store.read, [{ domainId, ...entry }]))).get(0)
  if (found === undefined) return true
  if (found.reason !== 'hard_bounce' || found.created_at > now - BOUNCE_COUNTS_MS) return false
  await store.write(removeSuppressions, { accountId: NOBODY, domainId, entries: [entry], force: false, now })
  return true
}
