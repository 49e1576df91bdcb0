// postrider migrate: migrates the tables of the store to the schema of this version.

import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'

export async function migrate(context: Context): Promise<Answer> {
  const ran: string[] = []
  await withStore(context, async () => {}, { onMigrated: (names) => void ran.push(...names) })
  const text =
    ran.length === 0
      ? 'The store is up to date; no migration was needed.'
      : ['These migrations have run:', ...ran.map((name) => `  ${name}`)].join('\n')
  return { document: { migrated: ran }, text }
}
