// What a stream adds to accepting a message: an allowance, a pace, and that it is in use.

import type { Lane } from '../model/lane.ts'
import type { Database } from './dialect.ts'
import { markWorkspaceChanged } from './installation.ts'

export interface StreamRules {
  /** It has an allowance that this counts against. */
  readonly counted: boolean
  /** No message has gone by it, as far as is known. */
  readonly isFirst: boolean
  /** Its recipients wait until their turns come. */
  readonly paced: boolean
}

/** A message as far as its stream is concerned. */
interface StreamMessage {
  readonly message: {
    readonly domain_id: string
    readonly stream: string
    readonly created_at: number
    readonly send_at: number | null
  }
  readonly streamRules?: StreamRules
}

/** Turns that are waited for fall due together, a tenth of a second's worth, so that there are few claims. */
const PACE_MS = 100

/** Where a recipient with this turn begins. */
export function firstPlace(
  { message, streamRules }: StreamMessage,
  turn: number,
): { lane: Lane; next_attempt_at: number } {
  if (message.send_at !== null) return { lane: 'waiting', next_attempt_at: turn }
  if (!streamRules?.paced || turn <= message.created_at) return { lane: 'ready', next_attempt_at: turn }
  return { lane: 'waiting', next_attempt_at: Math.ceil(turn / PACE_MS) * PACE_MS }
}

/** Takes one for each of so many recipients, never below zero; false when there are not as many. */
export async function takeStreamAllowance(
  db: Database,
  { message, streamRules }: StreamMessage,
  count: number,
): Promise<boolean> {
  if (!streamRules?.counted) return true
  const taken = await db
    .updateTable('streams')
    .set((eb) => ({ sending_allowance: eb('sending_allowance', '-', count) }))
    .where('domain_id', '=', message.domain_id)
    .where('alias', '=', message.stream)
    .where((eb) => eb.or([eb('sending_allowance', '>=', count), eb('sending_allowance', 'is', null)]))
    .returning('alias')
    .execute()
  return taken.length > 0
}

/** Notes which streams have had their first message. */
export async function markStreamsUsed(db: Database, accepted: readonly StreamMessage[]): Promise<void> {
  const seen = new Set<string>()
  for (const { message, streamRules } of accepted) {
    const { domain_id: domainId, stream: alias, created_at: now } = message
    const key = `${domainId} ${alias}`
    if (!streamRules?.isFirst || seen.has(key)) continue
    seen.add(key)
    await db
      .updateTable('streams')
      .set({ used: 1 })
      .where('domain_id', '=', domainId)
      .where('alias', '=', alias)
      .execute()
    await markWorkspaceChanged(db, now)
  }
}
