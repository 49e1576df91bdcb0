// postrider backup: copies the embedded database while the service runs.

import { loadConfig } from '../config/load.ts'
import { Problem } from '../model/problem.ts'
import { backupDatabase } from '../store/database/backup.ts'
import type { Answer, Context } from './command.ts'

export async function backup(context: Context, { file }: { readonly file: string }): Promise<Answer> {
  const { dataDir, databaseUrl } = loadConfig(context.env)
  if (databaseUrl !== undefined) {
    throw new Problem(
      'conflict',
      'The store is PostgreSQL: back it up with pg_dump, or with the continuous archiving of your database.',
    )
  }
  const made = await backupDatabase(dataDir, file)
  return {
    document: { file: made.file, bytes: made.bytes, database: made.database, integrity: 'ok' },
    text: [
      `The database has been copied to ${made.file} (${made.bytes} bytes) and the copy checked.`,
      'The copy contains private keys, unless the store is sealed: protect the copy like the original. `postrider restore` makes a store from the copy.',
      `The copy does not contain the other files of ${dataDir}, such as the self-signed certificate and playground.json.`,
    ].join('\n'),
  }
}
