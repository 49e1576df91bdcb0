// Opens, changes and closes incidents, with their events.

import { newId } from '../../lib/ids.ts'
import type { IncidentCause, IncidentEvidence, IncidentScope, IncidentWords } from '../../model/incident.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepObjectEvents } from '../events/object-events.ts'

export type IncidentRow = Tables['incidents']

/** The event of a failure that an incident shows as an example. */
export interface IncidentExample {
  readonly messageId: string
  readonly eventId: string
}

/** Figures of an incident, which change while the incident is open. */
interface IncidentFigures {
  readonly attempts: number
  readonly failed: number
  /** Number of recipients whose first attempt failed. */
  readonly recipients: number
}

/** A new incident. */
export interface NewIncident extends Partial<IncidentFigures> {
  readonly accountId: string
  readonly domainId: string
  /**
   * Name of the cause within the domain, such as `listing zen.spamhaus.org 192.0.2.7`. While an incident of the domain
   * with this name is open, opening another one only replaces figures and evidence.
   */
  readonly name: string
  readonly cause: IncidentCause
  /** Provider, as in statistics; null for no single provider. */
  readonly provider: string | null
  /** Reply code, zone of a block list, or name of a requirement; null for none. */
  readonly code: string | null
  readonly scope: IncidentScope
  readonly beganAt: number
  /** Usual share of failures, a fraction of 1; null if unknown. */
  readonly usualShare?: number | null
  readonly example?: IncidentExample | null
  /** Sentences in place of those of the provider and code, or of the cause. */
  readonly words?: IncidentWords
  readonly evidence?: readonly IncidentEvidence[]
  readonly now: number
}

/** Result of opening: the ID of the open incident, and true if the call has opened it. */
export interface OpenedIncident {
  readonly incidentId: string
  readonly isNew: boolean
}

const MILLION = 1_000_000

/** Opens incidents, each with the event `incident_opened`; an open incident of the same name stays open. */
export async function openIncident(db: Database, items: readonly NewIncident[]): Promise<OpenedIncident[]> {
  const results: OpenedIncident[] = []
  for (const item of items) results.push(await openOne(db, item))
  return results
}
openIncident.unaudited = true

async function openOne(db: Database, item: NewIncident): Promise<OpenedIncident> {
  const { accountId, domainId, name, example, usualShare = null, now, attempts = 0, failed = 0 } = item
  const row: IncidentRow = {
    ...{ id: newId('inc', now), account_id: accountId, domain_id: domainId, name, state: 'open' },
    ...{ cause: item.cause, provider: item.provider, code: item.code, scope: JSON.stringify(item.scope) },
    ...{ began_at: item.beganAt, noticed_at: now, ended_at: null, muted_until: null },
    ...{ attempts, failed, recipients: item.recipients ?? 0 },
    usual_share: usualShare === null ? null : Math.round(usualShare * MILLION),
    example_message: example?.messageId ?? null,
    example_event: example?.eventId ?? null,
    words: item.words === undefined ? null : JSON.stringify(item.words),
    ...{ evidence: JSON.stringify(item.evidence ?? []), told_at: null, end_told_at: null },
  }
  // The partial index on open incidents decides between two nodes.
  const [opened] = await insertRows(
    db,
    'incidents',
    [row],
    `on conflict (domain_id, name) where state = 'open' do update set
      attempts=excluded.attempts, failed=excluded.failed, recipients=excluded.recipients, evidence=excluded.evidence`,
    ['id'],
  )
  const incidentId = opened?.id ?? row.id
  const isNew = incidentId === row.id
  if (isNew) await keepObjectEvents(db, [eventOf(row, 'incident_opened', now)])
  return { incidentId, isNew }
}

const eventOf = (row: IncidentRow, type: 'incident_opened' | 'incident_closed', at: number) => ({
  ...{ accountId: row.account_id, domainId: row.domain_id, type, at, objectId: row.id },
  detail: {
    ...{ incident_id: row.id, cause: row.cause, provider: row.provider, code: row.code },
    ...{ scope: JSON.parse(row.scope), began_at: new Date(Number(row.began_at)).toISOString() },
    ...(row.ended_at === null ? {} : { ended_at: new Date(Number(row.ended_at)).toISOString() }),
    ...{ attempts: Number(row.attempts), failed: Number(row.failed) },
  },
})

/** Closes the open incident of a name, with the event `incident_closed`; the result is false if none is open. */
export async function closeIncident(
  db: Database,
  items: readonly {
    readonly domainId: string
    readonly name: string
    readonly endedAt: number
    readonly now: number
  }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { domainId, name, endedAt, now } of items) {
    const row = await db
      .updateTable('incidents')
      .set({ state: 'closed', ended_at: endedAt })
      .where('domain_id', '=', domainId)
      .where('name', '=', name)
      .where('state', '=', 'open')
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined) await keepObjectEvents(db, [eventOf(row, 'incident_closed', now)])
    results.push(row !== undefined)
  }
  return results
}
closeIncident.unaudited = true

/** New figures of an open incident; scope, code and example are set only if they have become known. */
export interface ChangedIncident extends IncidentFigures {
  readonly id: string
  readonly evidence: readonly IncidentEvidence[]
  readonly scope: IncidentScope
  readonly example: IncidentExample | null
}

/** Replaces the figures of open incidents. */
export async function changeIncident(db: Database, items: readonly ChangedIncident[]): Promise<true[]> {
  for (const { id, example, scope, evidence, ...figures } of items) {
    await db
      .updateTable('incidents')
      .set({ ...figures, scope: JSON.stringify(scope), evidence: JSON.stringify(evidence) })
      .$if(example !== null, (query) =>
        query.set({ example_message: example?.messageId, example_event: example?.eventId }),
      )
      .where('id', '=', id)
      .where('state', '=', 'open')
      .execute()
  }
  return items.map(() => true)
}
changeIncident.unaudited = true

/** Mutes an incident until a time; null ends the muting. The result is false if the account has no such incident. */
export async function muteIncident(
  db: Database,
  items: readonly { readonly accountId: string; readonly id: string; readonly until: number | null }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, id, until } of items) {
    const muted = await db
      .updateTable('incidents')
      .set({ muted_until: until })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .returning('id')
      .execute()
    results.push(muted.length > 0)
  }
  return results
}
muteIncident.auditTarget = ({ id }: { readonly id: string }): string => id

/** Records that the owners were told of the beginning or of the end of incidents, or will not be told. */
export async function recordIncidentNotice(
  db: Database,
  items: readonly { readonly id: string; readonly what: 'told_at' | 'end_told_at'; readonly now: number }[],
): Promise<true[]> {
  for (const what of ['told_at', 'end_told_at'] as const) {
    const rows = items.filter((item) => item.what === what).map(({ id, now }) => ({ id, [what]: now }))
    await updateRows(db, 'incidents', ['id'], rows)
  }
  return items.map(() => true)
}
recordIncidentNotice.unaudited = true

/** Time for which counts of replies are kept, in milliseconds. */
export const COUNTS_KEPT_MS = 35 * 86_400_000

/**
 * Removes old counts of replies, and closed incidents that ended before a time, with their events; about `limit` rows
 * of each kind. Returns true if more rows may be left.
 */
export async function forgetIncidents(
  db: Database,
  items: readonly { readonly countsBefore: number; readonly endedBefore: number; readonly limit: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { countsBefore, endedBefore, limit } of items) {
    let isMore = false
    for (const table of ['reply_counts', 'reply_hours'] as const) {
      if (await forgetCounts(db, table, countsBefore, limit)) isMore = true
    }
    const ended = await db
      .selectFrom('incidents')
      .select('id')
      .where('ended_at', '<', endedBefore)
      .limit(limit)
      .execute()
    const ids = ended.map(({ id }) => id)
    if (ids.length > 0) {
      await db.deleteFrom('events').where('message_id', 'in', ids).execute()
      await db.deleteFrom('incidents').where('id', 'in', ids).execute()
    }
    results.push(isMore || ended.length === limit)
  }
  return results
}
forgetIncidents.unaudited = true

/** Removes about `limit` counts before a time; returns true if more may be left. */
async function forgetCounts(
  db: Database,
  table: 'reply_counts' | 'reply_hours',
  before: number,
  limit: number,
): Promise<boolean> {
  const old = await db
    .selectFrom(table)
    .select(['at', 'domain_id'])
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('domain_id')
    .limit(limit)
    .execute()
  const last = old.at(-1)
  if (last === undefined) return false
  await db
    .deleteFrom(table)
    .where((eb) =>
      eb.or([
        eb('at', '<', last.at),
        eb.and([eb('at', '=', last.at), eb('domain_id', '<=', last.domain_id)]),
      ]),
    )
    .execute()
  return old.length === limit
}
