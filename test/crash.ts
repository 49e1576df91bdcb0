// `npm run crash` kills, stops and starves nodes under load, and checks every accepted message; USAGE lists the runs.

import { runCrashes } from './support/crash/crash-run.ts'
import { runDiskFull } from './support/crash/disk-full-run.ts'
import { runFollowers } from './support/crash/follow-run.ts'
import { runKeys } from './support/crash/key-run.ts'
import { type MixedFigures, runMixed } from './support/crash/mixed-run.ts'
import { runPowerCuts } from './support/crash/power-cut-run.ts'
import { runStops, STARTS } from './support/crash/stop-run.ts'
import { differing, exceeding, told, type Verdict } from './support/crash/verdict.ts'
import { startPostgres } from './support/postgres.ts'
import { count, oneOf, readWords, runTool } from './support/tool.ts'

const ACCEPT_AGAIN_MS = 5_000

/**
 * Maximum mean number of duplicate messages per kill, which equals the number of another well-established mail server
 * on the same machine.
 */
const DUPLICATES_A_KILL = 0.7

/**
 * Calls `run` with a PostgreSQL server that uses fsync, as in production; the usual PostgreSQL server of the tests runs
 * without fsync.
 */
async function onServer<Figures>(
  database: 'sqlite' | 'postgres',
  run: () => Promise<Figures>,
): Promise<Figures> {
  const server =
    database === 'postgres' && !process.env.TEST_DATABASE_URL ? await startPostgres([]) : undefined
  if (server !== undefined) process.env.TEST_DATABASE_URL = server.url
  try {
    return await run()
  } finally {
    await server?.stop()
  }
}

const show = (figures: unknown): void => console.log(JSON.stringify(figures, null, 2))

/** Maximum 95th percentile of the time from an event to its first webhook request, while no node is killed. */
const FIRST_REQUEST_P95_MS = 1_000

/**
 * Kills nodes ten times while clients consume events by polling, by the event stream and by webhook. Faults are a
 * missed event, a repeated event, and a late webhook request after the last kill.
 */
async function followers(messages: number, database: 'sqlite' | 'postgres'): Promise<Verdict> {
  const figures = await onServer(database, () => runFollowers({ messages, kills: 10, database }))
  show(figures)
  const { accepted, polled, streamed, hooked } = figures
  const faults = [
    ...Object.entries({ polled, streamed }).flatMap(([way, followed]) =>
      differing({ ...followed }, { missed: 0, repeated: 0 }).map((one) => `${way}: ${one}`),
    ),
    ...differing({ ...hooked }, { missed: 0, otherIds: 0 }).map((one) => `by webhook: ${one}`),
    ...exceeding({ ...hooked.calm }, { p95Ms: FIRST_REQUEST_P95_MS }).map((one) => `by webhook: ${one}`),
  ]
  return {
    faults,
    notShown: accepted >= messages ? [] : [`${accepted} of ${messages} messages were accepted`],
  }
}

/**
 * Kills a node repeatedly. Faults are a lost or stuck message, a failing API list, too many duplicates, and a duplicate
 * with another Message-ID.
 */
async function crashes(kills: number, database: 'sqlite' | 'postgres'): Promise<Verdict> {
  const figures = await onServer(database, () => runCrashes(kills, database))
  show(figures)
  const { duplicates } = figures
  const faults = [
    ...differing({ ...figures }, { lost: 0, underWay: 0, failingLists: [], otherMessageIds: 0 }),
    ...exceeding({ duplicates }, { duplicates: kills * DUPLICATES_A_KILL }),
  ]
  return { faults, notShown: [] }
}

/**
 * Maximum time from the reply of a mail host to a kill, in milliseconds, at which the reply may be missing in the
 * delivery journal.
 */
const NOTED_WITHIN_MS = 10
/** Maximum number of requests that one kill repeats for one webhook. */
const REPEATED_REQUESTS = 20

/** Kills a node under mixed load; mail hosts and webhook receivers run in a separate process. */
async function mixed(kills: number, database: 'sqlite' | 'postgres', workers: number): Promise<Verdict> {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 1e9))
  const figures = await onServer(database, () => runMixed({ kills, database, seed, workers }))
  show(figures)
  return { faults: mixedFaults(figures), notShown: [] }
}

/** Returns descriptions of the faults of a mixed run. */
function mixedFaults(figures: MixedFigures): string[] {
  const { extra, kills, answered, repeatedRequests } = figures
  return [
    ...differing({ ...figures }, { lost: 0, acceptedTwice: 0 }),
    ...exceeding(
      {
        extra,
        answeredBeforeMs: Math.max(0, ...answered.map(({ answeredBeforeMs = 0 }) => answeredBeforeMs)),
      },
      { extra: kills * DUPLICATES_A_KILL, answeredBeforeMs: NOTED_WITHIN_MS },
    ),
    ...Object.entries(repeatedRequests).flatMap(([webhook, byKill]) =>
      exceeding({ [webhook]: Math.max(0, ...byKill) }, { [webhook]: REPEATED_REQUESTS }).map(
        (one) => `requests repeated by one kill: ${one}`,
      ),
    ),
  ]
}

/**
 * Fills the disk and frees space again. Faults are a refusal with a code other than 503 (HTTP) or 452 (SMTP), a lost
 * message, and a late acceptance after space was freed.
 */
async function diskFull(): Promise<Verdict> {
  const figures = await runDiskFull()
  if (typeof figures === 'string') return { faults: [], notShown: [figures] }
  show(figures)
  const { lost, withoutRestart, acceptedAgainMs } = figures
  const refused = Object.keys(figures.refused).sort()
  const faults = [
    ...differing(
      { lost, withoutRestart, refused },
      { lost: 0, withoutRestart: true, refused: ['http 503', 'smtp 452'] },
    ),
    ...exceeding(acceptedAgainMs, { http: ACCEPT_AGAIN_MS, smtp: ACCEPT_AGAIN_MS }),
  ]
  return { faults, notShown: [] }
}

/**
 * Simulates power cuts, half of which happen within 1.5 seconds after the first start. Faults are a lost message, and a
 * port that does not accept messages afterwards.
 */
async function powerCuts(cuts: number): Promise<Verdict> {
  const early = await runPowerCuts(Math.ceil(cuts / 2), [0, 1_500])
  const later = await runPowerCuts(Math.floor(cuts / 2), [1_500, 15_000])
  if (typeof early === 'string') return { faults: [], notShown: [early] }
  if (typeof later === 'string') return { faults: [], notShown: [later] }
  show({ early, later })
  const faults = [early, later].flatMap(({ cuts, ...figures }) =>
    differing(figures, { lost: 0, started: cuts, http: cuts, smtp: cuts }),
  )
  return { faults, notShown: [] }
}

/**
 * Kills a node during requests with idempotency keys, and repeats the interrupted requests. Faults are a request that
 * has no effect, and a request that takes effect twice.
 */
async function keys(kills: number, database: 'sqlite' | 'postgres'): Promise<Verdict> {
  const figures = await onServer(database, () => runKeys(kills, database))
  show(figures)
  const { requests, answered, cut, ...others } = figures
  const faults = [...differing({ answered }, { answered: requests }), ...differing(others, { wrong: [] })]
  return { faults, notShown: cut >= kills ? [] : [`${kills} kills interrupted only ${cut} requests`] }
}

const STOP_LOAD = { clients: 16, perSecond: 560, reached: 500 }

/**
 * Stops a node under load, once for each documented start command. Faults are an exit code other than 0, a lost or
 * duplicate message, and a port that stays in use.
 */
async function stops(count: number): Promise<Verdict> {
  const faults: string[] = []
  const notShown: string[] = []
  for (const start of Object.keys(STARTS) as (keyof typeof STARTS)[]) {
    const figures = await runStops(count, 'sqlite', start, STOP_LOAD)
    show({ start, ...figures })
    const expected = { lost: 0, twice: 0, underWay: 0, portsTaken: 0, exitCodes: [0] }
    faults.push(...differing({ ...figures }, expected).map((one) => `${start}: ${one}`))
    const { atLoad } = figures
    if (atLoad < count)
      notShown.push(
        `${start}: ${atLoad} of ${count} stops happened at ${STOP_LOAD.reached} accepted messages per second; the other stops had less load`,
      )
  }
  return { faults, notShown }
}

const USAGE = `npm run crash -- [kills] [sqlite|postgres]   kill a node under load (20 kills)
npm run crash -- mixed [kills] [sqlite|postgres] [workers]   count what kills repeat: messages and webhook requests (40; 1)
npm run crash -- followers [messages] [sqlite|postgres]   kill nodes whose events clients consume (10000)
npm run crash -- keys [kills] [sqlite|postgres]   kill a node during requests with idempotency keys (20)
npm run crash -- power-cut [cuts]   cut the power of the disk; root on Linux (20)
npm run crash -- disk-full   fill the disk, and free space again
npm run crash -- stop [stops]   stop a node with SIGTERM, for each documented start command (10)

  CRASH_SEED=N repeats a mixed run. The exit code is 0 for a pass, 1 for a fault, and 3 if this machine did not reach
  the conditions of the run.
`

const kills = (usual: number) => count('The number of kills', usual)
const database = oneOf('The database', 'sqlite', 'postgres')

/** Runs by name; each function gets the arguments after the name. */
const RUNS: Readonly<Record<string, (words: readonly string[]) => Promise<Verdict>>> = {
  mixed: (words) => mixed(...readWords(words, kills(40), database, count('The number of workers', 1))),
  followers: (words) => followers(...readWords(words, count('The number of messages', 10_000), database)),
  keys: (words) => keys(...readWords(words, kills(20), database)),
  'power-cut': (words) => powerCuts(...readWords(words, count('The number of cuts', 20))),
  'disk-full': (words) => diskFull(...readWords(words)),
  stop: (words) => stops(...readWords(words, count('The number of stops', 10))),
}

await runTool(USAGE, async (words) => {
  const [first = '', ...rest] = words
  const run = Object.hasOwn(RUNS, first) ? RUNS[first] : undefined
  const verdict = await (run === undefined ? crashes(...readWords(words, kills(20), database)) : run(rest))
  const { words: outcome, exitCode } = told(verdict)
  console.log(outcome)
  return exitCode
})
