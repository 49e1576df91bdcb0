// Messages and claims for tests of the store, without a door or a worker.

import { newId } from '../../src/lib/ids.ts'
import type { AcceptMessage, Owner } from '../../src/store/messages.ts'
import type { Claim, Claimed, ClaimRequest } from '../../src/store/queue.ts'
import type { Store } from '../../src/store/store.ts'

/** The time at which all of it happens. */
export const NOW = Date.UTC(2026, 0, 1)

/** An account with a verified domain. */
export async function createOwner(store: Store): Promise<Owner> {
  const owner = { accountId: newId('acc'), domainId: newId('dom') }
  await store.write('createAccount', {
    id: owner.accountId,
    name: 'Example',
    status: 'active',
    sending_allowance: null,
    verification_credits: 0,
    created_at: NOW,
  })
  await store.write('createDomain', {
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
    },
    dkimKeys: [],
    records: [],
  })
  return owner
}

/** A message to these addresses, ready to be accepted. */
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
    },
    format: 'json',
    content: '{"subject":"Grüße"}',
    recipients: emails.map((email) => ({
      role: 'to' as const,
      email,
      name: null,
      destination: email.split('@')[1] as string,
      turn: NOW,
    })),
    counted: false,
    idempotency: undefined,
    ...more,
  }
}

/** A claim of everything, unless told otherwise. */
export const claim = (store: Store, more: Partial<ClaimRequest> = {}): Promise<Claim> =>
  store.write('claimRecipients', {
    now: NOW,
    lease: newId('nod'),
    leaseUntil: (more.now ?? NOW) + 60_000,
    limit: 1_000,
    bytes: 1_000_000,
    room: 10_000,
    rooms: new Map(),
    draw: [],
    suspects: 4,
    takeOver: true,
    ...more,
  })

/** Ends the attempt of a claimed recipient. */
export const finish = (
  store: Store,
  claimed: Claimed,
  status: 'delivered' | 'deferred' | 'bounced',
  next: number | null = null,
  more: { readonly fault?: boolean } = {},
): Promise<boolean> =>
  store.write('recordOutcome', {
    claimed,
    outcome: { status, reason: 'because' },
    attempt: {
      startedAt: NOW,
      durationMs: 5,
      mx: 'mx.example.com',
      reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
      transcript: 'x',
    },
    nextAttemptAt: next,
    now: NOW + 1,
    ...more,
  })
