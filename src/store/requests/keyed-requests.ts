// Requests under an idempotency key that take several commits: a lease holds each request, and steps record its
// progress.

import { type Database, databaseMoment } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { isFree } from '../node/node-leases.ts'
import { claimIdempotencyKeys, type IdempotencyClaim, type Repeated } from './idempotency-keys.ts'

type Named = Pick<IdempotencyClaim, 'keyId' | 'key'>

/** A request that a node holds under a lease. */
export interface HeldRequest extends Named {
  /** Token of the lease. */
  readonly lease: string
}

/** Extends the lease of a request; the result is false if this node does not hold the request. */
export async function renewRequest(
  db: Database,
  items: readonly (HeldRequest & { readonly until: number })[],
): Promise<boolean[]> {
  const renewed: boolean[] = []
  for (const { until, ...held } of items) {
    const rows = await db
      .updateTable('keyed_requests')
      .set({ lease_until: databaseMoment(db, until) })
      .where('key_id', '=', held.keyId)
      .where('idempotency_key', '=', held.key)
      .where('lease', '=', held.lease)
      .returning('lease')
      .execute()
    renewed.push(rows.length > 0)
  }
  return renewed
}
renewRequest.unaudited = true

/** Claim of a request under an idempotency key; `response` is empty while the response is unknown. */
export interface RequestClaim extends IdempotencyClaim {
  readonly lease: string
  readonly until: number
}

/**
 * Claims requests, or renews the leases of requests that this node has claimed before. Removes the rows of an earlier
 * request with the same, expired idempotency key.
 */
export async function claimRequests(
  db: Database,
  claims: readonly RequestClaim[],
): Promise<({ readonly kind: 'accepted' } | Repeated)[]> {
  const results = new Map<RequestClaim, { readonly kind: 'accepted' } | Repeated>()
  // All nodes lock the requests in the same order, which prevents deadlocks.
  const ordered = claims.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  for (const claim of ordered) {
    const [renewed] = await renewRequest(db, [claim])
    results.set(claim, renewed ? { kind: 'accepted' } : await claimOne(db, claim))
  }
  return claims.map((claim) => results.get(claim) as { readonly kind: 'accepted' })
}

const nameOf = ({ keyId, key }: Named): string => `${keyId} ${key}`

async function claimOne(
  db: Database,
  { lease, until, ...claim }: RequestClaim,
): Promise<{ readonly kind: 'accepted' } | Repeated> {
  const [claimed] = await claimIdempotencyKeys(db, [claim])
  if (claimed === undefined || claimed.kind !== 'accepted') return claimed as Repeated
  await removeRequest(db, claim)
  const { keyId: key_id, key: idempotency_key } = claim
  await insertRows(db, 'keyed_requests', [{ key_id, idempotency_key, lease, lease_until: until }])
  return claimed
}

/** A change that a request has committed. */
export interface RequestStep extends Named {
  /** Index of the step within the request. */
  readonly step: number
  /** Result of the step, sealed with the caller's secret. */
  readonly sealed: string
}

export async function addRequestStep(
  db: Database,
  { keyId: key_id, key: idempotency_key, step, sealed }: RequestStep,
): Promise<void> {
  await insertRows(db, 'keyed_request_steps', [{ key_id, idempotency_key, step, sealed }])
}

/** An interrupted request to be continued. */
export interface CutRequest {
  /** Time at which the first run of the request began. */
  readonly began: number
  /** Results of the completed steps, sealed, in order. */
  readonly steps: readonly string[]
}

/** Takes over requests whose leases have ended; undefined for a request that is in progress, answered or unclaimed. */
export async function takeRequestOver(
  db: Database,
  items: readonly (HeldRequest & { readonly now: number; readonly until: number })[],
): Promise<(CutRequest | undefined)[]> {
  const results: (CutRequest | undefined)[] = []
  for (const { keyId, key, lease, now, until } of items) {
    const taken = await db
      .updateTable('keyed_requests')
      .set({ lease, lease_until: databaseMoment(db, until) })
      .where('key_id', '=', keyId)
      .where('idempotency_key', '=', key)
      .where(isFree(db, now))
      .returning('lease')
      .execute()
    results.push(taken.length === 0 ? undefined : await readRequest(db, { keyId, key }))
  }
  return results
}
takeRequestOver.unaudited = true

async function readRequest(db: Database, { keyId, key }: Named): Promise<CutRequest | undefined> {
  const claim = await db
    .selectFrom('idempotency_keys')
    .select('created_at')
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .where('response', '=', '')
    .executeTakeFirst()
  const steps = await db
    .selectFrom('keyed_request_steps')
    .select('sealed')
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .orderBy('step')
    .execute()
  return claim && { began: claim.created_at, steps: steps.map(({ sealed }) => sealed) }
}

/**
 * Stores the responses to requests that this node holds or that have changed nothing, and removes the steps of the
 * requests.
 */
export async function keepAnswer(
  db: Database,
  claims: readonly (IdempotencyClaim & { readonly lease: string })[],
): Promise<true[]> {
  for (const { lease, ...claim } of claims) {
    const [claimed] = await claimIdempotencyKeys(db, [claim])
    if (claimed?.kind === 'accepted') await removeRequest(db, claim)
    else if (await removeRequest(db, claim, lease)) await answer(db, claim)
  }
  return claims.map(() => true)
}
keepAnswer.unaudited = true

const answer = (db: Database, { keyId, key, response }: IdempotencyClaim) =>
  db
    .updateTable('idempotency_keys')
    .set({ response })
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .execute()

/** Releases the leases of requests that an error interrupted, so that a repeated request can continue immediately. */
export async function releaseRequest(db: Database, items: readonly HeldRequest[]): Promise<true[]> {
  for (const { keyId, key, lease } of items) {
    await db
      .updateTable('keyed_requests')
      .set({ lease: null, lease_until: null })
      .where('key_id', '=', keyId)
      .where('idempotency_key', '=', key)
      .where('lease', '=', lease)
      .execute()
  }
  return items.map(() => true)
}
releaseRequest.unaudited = true

/** Releases the idempotency keys of requests that were refused and have changed nothing. */
export async function releaseRequestKey(db: Database, items: readonly HeldRequest[]): Promise<true[]> {
  for (const { lease, ...named } of items) {
    if (!(await removeRequest(db, named, lease))) continue
    await db
      .deleteFrom('idempotency_keys')
      .where('key_id', '=', named.keyId)
      .where('idempotency_key', '=', named.key)
      .execute()
  }
  return items.map(() => true)
}
releaseRequestKey.unaudited = true

/** Removes a request and its steps; returns false if `lease` is given but does not hold the request. */
async function removeRequest(db: Database, { keyId, key }: Named, lease?: string): Promise<boolean> {
  let query = db.deleteFrom('keyed_requests').where('key_id', '=', keyId).where('idempotency_key', '=', key)
  if (lease !== undefined) query = query.where('lease', '=', lease)
  const removed = await query.returning('lease').execute()
  if (lease !== undefined && removed.length === 0) return false
  await db
    .deleteFrom('keyed_request_steps')
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .execute()
  return true
}
