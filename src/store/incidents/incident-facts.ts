// Reads the facts from which incidents are found: counts of replies, their history, and single failures.

import { hourOf } from '../../lib/rfc3339.ts'
import { espOf } from '../../model/esp.ts'
import { GREYLISTED } from '../../model/reply-code.ts'
import type { Database, Read } from '../database/dialect.ts'
import { findRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { positionAt } from '../events/position.ts'
import type { IncidentExample, IncidentRow } from './incidents.ts'

/** Attempts of one combination within five minutes. */
export type StepCount = Pick<
  Tables['reply_counts'],
  'at' | 'stream' | 'provider' | 'source' | 'category' | 'code' | 'attempts' | 'recipients'
>

const COMBINATION = ['stream', 'provider', 'source', 'category', 'code'] as const

/** Returns the domains with failures since a time, without the domains that were deleted. */
export async function domainsWithFailures(
  read: Read,
  since: number,
): Promise<{ readonly accountId: string; readonly domainId: string }[]> {
  return read
    .selectFrom('reply_counts')
    .innerJoin('domains', 'domains.id', 'reply_counts.domain_id')
    .select(['reply_counts.account_id as accountId', 'reply_counts.domain_id as domainId'])
    .distinct()
    .where('reply_counts.at', '>=', since)
    .where('reply_counts.category', '!=', '')
    .where('reply_counts.code', '!=', GREYLISTED)
    .where('domains.deleted_at', 'is', null)
    .execute()
}

/** Returns the domains that sent from an own address since a time; from any address if the source is null. */
export async function domainsSendingFrom(
  read: Read,
  source: string | null,
  since: number,
): Promise<{ readonly accountId: string; readonly domainId: string }[]> {
  return read
    .selectFrom('reply_hours')
    .innerJoin('domains', 'domains.id', 'reply_hours.domain_id')
    .select(['reply_hours.account_id as accountId', 'reply_hours.domain_id as domainId'])
    .distinct()
    .where('reply_hours.at', '>=', hourOf(since))
    .$if(source !== null, (query) => query.where('reply_hours.source', '=', source as string))
    .where('domains.deleted_at', 'is', null)
    .execute()
}

/** Returns the counts of a domain from a step on. */
export async function stepsOf(read: Read, domainId: string, from: number): Promise<StepCount[]> {
  const rows = await read
    .selectFrom('reply_counts')
    .select(['at', ...COMBINATION, 'attempts', 'recipients'])
    .where('domain_id', '=', domainId)
    .where('at', '>=', from)
    .execute()
  return rows.map((row) => ({
    ...row,
    ...{ at: Number(row.at), attempts: Number(row.attempts), recipients: Number(row.recipients) },
  }))
}

/** A period of an incident, which is no part of the usual. */
export interface TroubledPeriod {
  /** Provider; null for all providers. */
  readonly provider: string | null
  readonly from: number
  readonly to: number
}

/** Sums of a combination over a period. */
export type CombinationSum = Omit<StepCount, 'at'>

/** Returns the sums of a domain's counts in a period, without the periods of incidents. */
export async function historyOf(
  read: Read,
  domainId: string,
  { from, to }: { readonly from: number; readonly to: number },
  without: readonly TroubledPeriod[],
): Promise<CombinationSum[]> {
  let query = read
    .selectFrom('reply_counts')
    .select(({ fn }) => [
      ...COMBINATION,
      fn.sum<number | string>('attempts').as('attempts'),
      fn.sum<number | string>('recipients').as('recipients'),
    ])
    .where('domain_id', '=', domainId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(COMBINATION)
  for (const { provider, from: begun, to: ended } of without) {
    query = query.where((eb) =>
      eb.or([
        ...(provider === null ? [] : [eb('provider', '!=', provider)]),
        eb('at', '<', begun),
        eb('at', '>=', ended),
      ]),
    )
  }
  const rows = await query.execute()
  return rows.map((row) => ({
    ...row,
    attempts: Number(row.attempts),
    recipients: Number(row.recipients),
  }))
}

/** Maximum number of incidents of a domain that are read. */
const MAX_INCIDENTS = 100

/** Returns the open incidents of a domain, and its incidents that ended since a time. */
export async function incidentsSince(read: Read, domainId: string, since: number): Promise<IncidentRow[]> {
  return read
    .selectFrom('incidents')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where((eb) => eb.or([eb('state', '=', 'open'), eb('ended_at', '>=', since)]))
    .orderBy('id', 'desc')
    .limit(MAX_INCIDENTS)
    .execute()
}

/** Returns the domains with open incidents, and true for the domains that were deleted. */
export async function domainsWithIncidents(
  read: Read,
): Promise<{ readonly accountId: string; readonly domainId: string; readonly isDeleted: boolean }[]> {
  const rows = await read
    .selectFrom('incidents')
    .innerJoin('domains', 'domains.id', 'incidents.domain_id')
    .select(['incidents.account_id as accountId', 'incidents.domain_id as domainId', 'domains.deleted_at'])
    .distinct()
    .where('incidents.state', '=', 'open')
    .execute()
  return rows.map(({ deleted_at, ...one }) => ({ ...one, isDeleted: deleted_at !== null }))
}

/** Returns the beginning of the last step with failures of a domain; undefined without any. */
export async function lastFailureAt(
  read: Read,
  domainId: string,
  provider: string | null,
): Promise<number | undefined> {
  let query = read
    .selectFrom('reply_counts')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('domain_id', '=', domainId)
    .where('category', '!=', '')
  if (provider !== null) query = query.where('provider', '=', provider)
  const { at } = await query.executeTakeFirstOrThrow()
  return at === null ? undefined : Number(at)
}

/** A single attempt of the recent past, with the fields of its message that may narrow an incident. */
export interface SampledAttempt {
  readonly example: IncidentExample
  readonly provider: string
  /** Category of the failure; empty for a delivery. */
  readonly category: string
  readonly stream: string
  readonly tag: string | null
  readonly keyId: string
}

/** Maximum number of rows of the event feed that are read for a sample. */
const MAX_SAMPLE = 1_000
const ENDS = new Set(['delivered', 'deferred', 'bounced', 'failed'])

/** Returns the newest attempts of a domain since a time, newest first. */
export async function sampleAttempts(read: Read, domainId: string, since: number): Promise<SampledAttempt[]> {
  const rows = await read
    .selectFrom('event_feed')
    .select(['type', 'message_id', 'event_id'])
    .where('domain_id', '=', domainId)
    .where('position', '>=', positionAt(since))
    .orderBy('position', 'desc')
    .limit(MAX_SAMPLE)
    .execute()
  const ended = rows.filter(({ type }) => ENDS.has(type))
  const [events, messages] = await Promise.all([
    findRows(
      read,
      'events',
      ['message_id', 'id'],
      ended.map(({ message_id, event_id: id }) => ({ message_id, id })),
      ['id', 'detail'],
    ),
    findRows(
      read,
      'messages',
      ['domain_id', 'id'],
      [...new Set(ended.map(({ message_id }) => message_id))].map((id) => ({ domain_id: domainId, id })),
      ['id', 'stream', 'tag', 'key_id', 'inbox_id'],
    ),
  ])
  const details = new Map(events.map(({ id, detail }) => [id, JSON.parse(detail)]))
  const byId = new Map(messages.map((message) => [message.id, message]))
  return ended.flatMap(({ type, message_id: messageId, event_id: eventId }) => {
    const detail = details.get(eventId) as { category?: string; mx?: string } | undefined
    const message = byId.get(messageId)
    if (detail === undefined || message === undefined || message.inbox_id !== null) return []
    const { stream, tag, key_id: keyId } = message
    const provider = (detail.mx === undefined ? undefined : espOf(detail.mx)?.name) ?? ''
    const category = type === 'delivered' ? '' : (detail.category ?? 'other')
    return [{ example: { messageId, eventId }, provider, category, stream, tag, keyId }]
  })
}

/** Maximum number of incidents whose mail is sent in one step. */
const MAX_NOTICES = 200

/** Returns the incidents of whose beginning or end the owners were not told, oldest first. */
export async function incidentsToTell(read: Database | Read): Promise<IncidentRow[]> {
  return read
    .selectFrom('incidents')
    .selectAll()
    .where((eb) =>
      eb.or([eb('told_at', 'is', null), eb.and([eb('state', '=', 'closed'), eb('end_told_at', 'is', null)])]),
    )
    .orderBy('id')
    .limit(MAX_NOTICES)
    .execute()
}
