// npm run crash -- [kills] [sqlite|postgres], -- disk-full, -- power-cut [cuts], or -- stop [stops]: what becomes of accepted mail then;
// -- followers [messages] [sqlite|postgres]: what those get who follow the events.

import { type CrashFigures, runCrashes } from './support/crash/crash-run.ts'
import { type DiskFullFigures, runDiskFull } from './support/crash/disk-full-run.ts'
import { runFollowers } from './support/crash/follow-run.ts'
import { runPowerCuts } from './support/crash/power-cut-run.ts'
import { runStops, STARTS } from './support/crash/stop-run.ts'
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

/** From an event to the first request of a webhook, for nineteen of twenty, while no node is killed. */
const FIRST_REQUEST_P95_MS = 1_000

/**
 * Nodes killed ten times while events are followed by polling, by the stream and by webhook: none is missed, none comes
 * twice; afterwards each is told of in time.
 */
async function followers(messages: number, database: 'sqlite' | 'postgres'): Promise<boolean> {
  const figures = await onServer(database, () => runFollowers({ messages, kills: 10, database }))
  console.log(JSON.stringify(figures, null, 2))
  const { accepted, polled, streamed, hooked } = figures
  if (hooked.missed + hooked.otherIds > 0 || hooked.calm.p95Ms >= FIRST_REQUEST_P95_MS) return false
  return accepted >= messages && [polled, streamed].every(({ missed, repeated }) => missed + repeated === 0)
}

/** Killed again and again: nothing lost or stuck, every list answers; few duplicates, with the same Message-ID. */
async function crashes(kills: number, database: 'sqlite' | 'postgres'): Promise<boolean> {
  const figures: CrashFigures = await onServer(database, () => runCrashes(kills, database))
  console.log(JSON.stringify(figures, null, 2))
  const { lost, underWay, failingLists, otherMessageIds, duplicates } = figures
  const isWhole = lost === 0 && underWay === 0 && failingLists.length === 0 && otherMessageIds === 0
  return isWhole && duplicates <= kills * DUPLICATES_A_KILL
}

/** The disk full and freed: refused with 503 and 452 alone, nothing lost, accepting again in time. */
async function diskFull(): Promise<boolean> {
  const figures: DiskFullFigures | string = await runDiskFull()
  if (typeof figures === 'string') {
    console.log(figures)
    process.exit()
  }
  console.log(JSON.stringify(figures, null, 2))
  const { lost, refused, acceptedAgainMs, withoutRestart } = figures
  const codes = Object.keys(refused).sort().join()
  const again = Math.max(acceptedAgainMs.http, acceptedAgainMs.smtp)
  return lost === 0 && codes === 'http 503,smtp 452' && again <= ACCEPT_AGAIN_MS && withoutRestart
}

/** The power cut, half of the times within a second of the very first start: nothing lost, every door works. */
async function powerCuts(cuts: number): Promise<boolean> {
  const early = await runPowerCuts(Math.ceil(cuts / 2), [0, 1_500])
  const later = await runPowerCuts(Math.floor(cuts / 2), [1_500, 15_000])
  if (typeof early === 'string' || typeof later === 'string') {
    console.log(early)
    process.exit()
  }
  console.log(JSON.stringify({ early, later }, null, 2))
  return [early, later].every(
    ({ cuts, lost, started, http, smtp }) => lost === 0 && started === cuts && http === cuts && smtp === cuts,
  )
}

const STOP_LOAD = { clients: 16, perSecond: 560, reached: 500 }

/** Stopped under load, by each of the documented starts: exit code 0, nothing lost, nothing twice, ports free. */
async function stops(count: number): Promise<boolean> {
  let held = true
  for (const start of Object.keys(STARTS) as (keyof typeof STARTS)[]) {
    const figures = await runStops(count, 'sqlite', start, STOP_LOAD)
    console.log(JSON.stringify({ start, ...figures }, null, 2))
    const { lost, twice, underWay, exitCodes, portsTaken, acceptedInLastSecond } = figures
    const isLoaded = acceptedInLastSecond.least >= STOP_LOAD.reached
    held &&= isLoaded && lost + twice + underWay + portsTaken === 0 && exitCodes.join() === '0'
  }
  return held
}

const [what = '20', second] = process.argv.slice(2)
const held =
  what === 'disk-full'
    ? await diskFull()
    : what === 'power-cut'
      ? await powerCuts(Number(second ?? 20))
      : what === 'followers'
        ? await followers(Number(second ?? 10_000), process.argv[4] === 'postgres' ? 'postgres' : 'sqlite')
        : what === 'stop'
          ? await stops(Number(second ?? 10))
          : await crashes(Number(what), second === 'postgres' ? 'postgres' : 'sqlite')
console.log(held ? 'held' : 'FAILED')
process.exitCode = held ? 0 : 1
