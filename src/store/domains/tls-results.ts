// TLS results of connections to recipient domains that request TLS reports, counted by day (RFC 8460).

import type { Database } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

export type TlsResult = Tables['tls_results']

const KEY = ['day', 'policy_domain', 'policy_type', 'mx', 'result', 'sending_ip', 'receiving_ip'] as const

/** Adds TLS results to the daily counts, and removes the counts of days before `oldestDay`. */
export async function recordTlsResults(
  db: Database,
  items: readonly { readonly results: readonly TlsResult[]; readonly oldestDay: string }[],
): Promise<true[]> {
  for (const { results, oldestDay } of items) {
    await db.deleteFrom('tls_results').where('day', '<', oldestDay).execute()
    for (const result of results) {
      await db
        .insertInto('tls_results')
        .values(result)
        .onConflict((on) =>
          on.columns([...KEY]).doUpdateSet((eb) => ({
            policy: result.policy,
            sessions: eb('tls_results.sessions', '+', result.sessions),
          })),
        )
        .execute()
    }
  }
  return items.map(() => true)
}
