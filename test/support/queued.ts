// Messages and claims for tests of the store, without listeners and workers.

import { newId } from '../../src/lib/ids.ts'
import type { Outcome } from '../../src/model/attempt.ts'
import { NO_ROTATION } from '../../src/model/domain.ts'
import { NO_GUARD } from '../../src/model/finding.ts'
import { published, type Standing } from '../../src/model/queue-state.ts'
import { NO_RETENTION_DAYS } from '../../src/model/retention.ts'
import type { AcceptMessage } from '../../src/store/accepting/accept-message.ts'
import { createAccount, WITHOUT_LIMITS } from '../../src/store/access/accounts.ts'
import type { Database } from '../../src/store/database/dialect.ts'
import type { Store } from '../../src/store/database/store.ts'
import { createDomain } from '../../src/store/domains/domains.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { releaseAllLeases } from '../../src/store/queue/leases.ts'
import { FROM_ZERO } from '../../src/store/queue/low-water.ts'
import { recordOutcome } from '../../src/store/queue/outcomes.ts'
import { type Claim, type Claimed, type ClaimRequest, claimRecipients } from '../../src/store/queue/queue.ts'

/** Time at which all events of these tests happen. */
export const NOW = Date.UTC(2026, 0, 1)

/** Creates an account with a verified domain. */
export async function createOwner(store: Store): Promise<Owner> {
  const owner = { accountId: newId('acc'), domainId: newId('dom') }
  await store.write(createAccount, {
    id: owner.accountId,
    name: 'Example',
    ...WITHOUT_LIMITS,
    created_at: NOW,
  })
  await store.write(createDomain, {
    domain: {
      id: owner.domainId,
      account_id: owner.accountId,
      name: `${owner.domainId.slice(-26)}.test`,
      status: 'verified',
      created_at: NOW,
      verified_at: NOW,
      checked_at: null,
      flagged_at: null,
      claim_token: null,
      deleted_at: null,
      ...NO_RETENTION_DAYS,
      track_opens: 0,
      track_links: 0,
      cfbl: 1,
      ...NO_ROTATION,
      bimi: null,
      mta_sts: 'off',
      mta_sts_since: null,
      ...NO_GUARD,
    },
    dkimKeys: [],
    records: [],
  })
  return owner
}

/** Returns a message to these addresses that a test can accept. */
export function messageTo(
  owner: Owner,
  emails: readonly string[],
  more: Partial<AcceptMessage> = {},
): AcceptMessage {
  return {
    message: {
      id: newId('msg'),
      account_id: owner.accountId,
      domain_id: owner.domainId,
      key_id: 'key_test',
      stream: 'transactional',
      from_email: 'a@example.test',
      from_name: null,
      subject: 'Grüße 100%_\\',
      tag: null,
      send_at: null,
      metadata: null,
      require_tls: 0,
      size: 10,
      created_at: NOW,
      expires_at: null,
      inbox_id: null,
    },
    format: 'json',
    content: '{"subject":"Grüße"}',
    recipients: emails.map((email) => ({
      role: 'to' as const,
      email,
      name: null,
      destination: email.split('@')[1] as string,
      startTag: NOW,
    })),
    counted: false,
    idempotency: undefined,
    ...more,
  }
}

/** Returns a queue state in words, as the operator's API publishes it, such as `held domain sender.test`. */
function inWords(standing: Standing): string {
  const { state, waitsFor } = published(standing)
  return waitsFor === null ? state : `${state} ${waitsFor.kind} ${waitsFor.value}`.trimEnd()
}

/**
 * Returns the queue state of a recipient as the operator's API publishes it; null if the recipient is not in the queue.
 */
export async function standingOf(
  store: Store,
  where: { readonly messageId: string; readonly position?: number } | { readonly email: string },
): Promise<string | null> {
  let query = store.read
    .selectFrom('recipients')
    .leftJoin('queue', (join) =>
      join
        .onRef('queue.message_id', '=', 'recipients.message_id')
        .onRef('queue.position', '=', 'recipients.position'),
    )
    .select(['queue.state', 'queue.waits_for as waitsFor'])
  query =
    'email' in where
      ? query.where('recipients.email', '=', where.email)
      : query
          .where('recipients.message_id', '=', where.messageId)
          .where('recipients.position', '=', where.position ?? 0)
  const { state, waitsFor } = await query.executeTakeFirstOrThrow()
  return state === null || waitsFor === null ? null : inWords({ state, waitsFor })
}

/** A claimed recipient with the token of the lease. */
export type Held = Claimed & { readonly lease: string }

/** Returns a request that claims all recipients; `more` replaces fields. */
function requestWith(more: Partial<ClaimRequest>): ClaimRequest {
  const lease = {
    token: newId('nod'),
    until: (more.now ?? NOW) + 60_000,
    endsAt: Number.POSITIVE_INFINITY,
  }
  return {
    ...{ now: NOW, lease, limit: 1_000, bytes: 1_000_000, eachDestination: 10_000, eachAccount: 10_000 },
    ...{ eachBytes: 1_000_000, byShare: new Map(), refill: [], suspects: 4, isolated: true, abandoned: [] },
    holdsFrom: '',
    from: { ...FROM_ZERO, flows: new Map() },
    ...more,
  }
}

const heldBy = ({ recipients }: Claim, { lease }: ClaimRequest): readonly Held[] =>
  recipients.map((one) => ({ ...one, lease: lease.token }))

/** Claims all recipients; `more` replaces fields of the request. */
export async function claim(
  store: Store,
  more: Partial<ClaimRequest> = {},
): Promise<Omit<Claim, 'recipients'> & { readonly recipients: readonly Held[] }> {
  const request = requestWith(more)
  const found = await store.write(claimRecipients, request)
  return { ...found, recipients: heldBy(found, request) }
}

/** Releases all leases and claims the recipients in one transaction, so that no other claim comes between. */
async function releaseAndClaim(db: Database, requests: readonly ClaimRequest[]): Promise<Claim[]> {
  await releaseAllLeases(db, requests)
  return claimRecipients(db, requests)
}

/**
 * Takes over the recipients of a running node, like a worker that finds the node dead; `store` comes from `lookInto`.
 */
export async function takeOverFromNode(
  store: Store,
  more: Partial<ClaimRequest> = {},
): Promise<readonly Held[]> {
  const request = requestWith(more)
  return heldBy(await store.write(releaseAndClaim, request), request)
}

/** Records the outcome of the attempt for a claimed recipient. */
export const finish = (
  store: Store,
  claimed: Held,
  status: 'delivered' | 'deferred' | 'bounced' | 'failed',
  next: number | null = null,
  more: Partial<Outcome> = {},
): Promise<boolean> =>
  store.write(recordOutcome, {
    claimed,
    lease: claimed.lease,
    outcome: { status, reason: 'because', ...more },
    attempt: {
      startedAt: NOW,
      durationMs: 5,
      mx: 'mx.example.com',
      reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
      transcript: 'x',
    },
    nextAttemptAt: next,
    now: NOW + 1,
  })
