// Rules of a stream at acceptance: an allowance, a rate, and a mark that it is in use.

import type { Database } from '../database/dialect.ts'
import { markWorkspaceChanged } from '../node/installation.ts'

export interface StreamRules {
  /** It has an allowance that this counts against. */
  readonly counted: boolean
  /** No message has gone by it, as far as is known. */
  readonly isFirst: boolean
  /** Its recipients wait for their start tags. */
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
