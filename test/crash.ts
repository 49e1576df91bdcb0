// npm run crash -- [kills] [sqlite|postgres], -- disk-full, -- power-cut [cuts], or -- stop [stops]: what becomes of accepted mail then;
// -- mixed [kills] [sqlite|postgres] [workers]: mails and requests of webhooks that a kill under mixed load repeats;
// -- followers [messages] [sqlite|postgres]: what those get who follow the events;
// -- keys [kills] [sqlite|postgres]: requests that are repeated under their keys. Exit code 0: held; 1: a fault; 3: no
// fault, but this machine did not let it show all that it is for.

import { runCrashes } from './support/crash/crash-run.ts'
import { runDiskFull } from './support/crash/disk-full-run.ts'
import { runFollowers } from './support/crash/follow-run.ts'
import { runKeys } from './support/crash/key-run.ts'
import { type MixedFigures, runMixed } from './support/crash/mixed-run.ts'
import { runPowerCuts } from './support/crash/power-cut-run.ts'
import { runStops, STARTS } from './support/crash/stop-run.ts'
import { differing, exceeding, told, type Verdict } from './support/crash/verdict.ts'
import { startPostgres } from './support/postgres.ts'

const ACCEPT_AGAIN_MS = 5_000

/** Duplicates a kill, on average: as many as another mail server of long standing makes on the same machine. */
const DUPLICATES_A_KILL = 0.7

/** With fsync, as in production: the tests' own server runs without. */
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

/** From an event to the first request of a webhook, for nineteen of twenty, while no node is killed. */
const FIRST_REQUEST_P95_MS = 1_000

/**
 * Nodes killed ten times while events are followed by polling, by the stream and by webhook: none is missed, none comes
 * twice; afterwards each is told of in time.
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
  return { faults, notShown: accepted >= messages ? [] : [`${accepted} of ${messages} were accepted`] }
}

/** Killed again and again: nothing lost or stuck, every list answers; few duplicates, with the same Message-ID. */
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

/** A host's answer that came so long before a kill has to be in the journal, in milliseconds. */
const NOTED_WITHIN_MS = 10
/** Requests of one webhook that a kill repeats at most. */
const REPEATED_REQUESTS = 20

/** Killed under mixed load, with mail hosts and receivers in a process of their own. */
async function mixed(kills: number, database: 'sqlite' | 'postgres', workers: number): Promise<Verdict> {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 1e9))
  const figures = await onServer(database, () => runMixed({ kills, database, seed, workers }))
  show(figures)
  return { faults: mixedFaults(figures), notShown: [] }
}

/** What of a mixed run is not as it has to be, in words. */
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

/** The disk full and freed: refused with 503 and 452 alone, nothing lost, accepting again in time. */
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

/** The power cut, half of the times within a second of the very first start: nothing lost, every door works. */
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

/** Requests under keys, cut by kills and repeated: each is completed, once. */
async function keys(kills: number, database: 'sqlite' | 'postgres'): Promise<Verdict> {
  const figures = await onServer(database, () => runKeys(kills, database))
  show(figures)
  const { requests, answered, cut, ...others } = figures
  const faults = [...differing({ answered }, { answered: requests }), ...differing(others, { wrong: [] })]
  return { faults, notShown: cut >= kills ? [] : [`${cut} requests were cut by ${kills} kills`] }
}

const STOP_LOAD = { clients: 16, perSecond: 560, reached: 500 }

/** Stopped under load, by each of the documented starts: exit code 0, nothing lost, nothing twice, ports free. */
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
        `${start}: ${atLoad} of ${count} stops at ${STOP_LOAD.reached} accepted a second; the others had less load`,
      )
  }
  return { faults, notShown }
}

const [what = '20', second] = process.argv.slice(2)
const verdict =
  what === 'disk-full'
    ? await diskFull()
    : what === 'power-cut'
      ? await powerCuts(Number(second ?? 20))
      : what === 'followers'
        ? await followers(Number(second ?? 10_000), process.argv[4] === 'postgres' ? 'postgres' : 'sqlite')
        : what === 'mixed'
          ? await mixed(
              Number(second ?? 40),
              process.argv[4] === 'postgres' ? 'postgres' : 'sqlite',
              Number(process.argv[5] ?? 1),
            )
          : what === 'keys'
            ? await keys(Number(second ?? 20), process.argv[4] === 'postgres' ? 'postgres' : 'sqlite')
            : what === 'stop'
              ? await stops(Number(second ?? 10))
              : await crashes(Number(what), second === 'postgres' ? 'postgres' : 'sqlite')
const { words, exitCode } = told(verdict)
console.log(words)
process.exitCode = exitCode
