// Rules of a stream when a message is accepted: the allowance, the rate, and whether the stream was used before.

import type { Database } from '../database/dialect.ts'
import { markWorkspaceChanged } from '../node/installation.ts'

export interface StreamRules {
  /** True if the message counts towards the allowance of the stream. */
  readonly counted: boolean
  /** True if the stream has had no message before, as far as is known. */
  readonly isFirst: boolean
  /** True if each recipient must wait until the time of its start tag. */
  readonly paced: boolean
}

/** The fields of a message that concern its stream. */
interface StreamMessage {
  readonly message: {
    readonly domain_id: string
    readonly stream: string
    readonly created_at: number
    readonly send_at: number | null
  }
  readonly streamRules?: StreamRules
}

/** Reduces the allowance of a stream by this number of recipients; returns false if the allowance is too small. */
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

/** Records the streams that have had their first message. */
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
