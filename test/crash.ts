// npm run crash -- [kills] [sqlite|postgres]: kills a loaded node and prints what became of its mail.

import { runCrashes } from './support/crash-run.ts'
import { startPostgres } from './support/postgres.ts'

const kills = Number(process.argv[2] ?? 20)
const database = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite'
// With fsync, as in production: the tests' own server runs without.
const server = database === 'postgres' && !process.env.TEST_DATABASE_URL ? await startPostgres([]) : undefined
if (server !== undefined) process.env.TEST_DATABASE_URL = server.url
const figures = await runCrashes(kills, database)
console.log(JSON.stringify(figures, null, 2))
await server?.stop()
process.exitCode = figures.lost === 0 ? 0 : 1
