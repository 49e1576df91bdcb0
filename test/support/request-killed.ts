// A process that repeats an interrupted request under its idempotency key, and then sends another request, during which
// the process is killed after a number of commits.

import { RequestRun } from '../../src/api/request-run.ts'
import { TestApp } from './app.ts'
import {
  added,
  askUnder,
  type CutWorld,
  checkStored,
  cutWorld,
  type KeyedRequest,
  keyedRequest,
  rowCounts,
} from './cut-requests.ts'
import { Person } from './person.ts'
import type { TestStorage } from './store.ts'

/** Task of the process. */
export interface KilledTask {
  readonly storage: Pick<TestStorage, 'dataDir' | 'databaseUrl'>
  /** Session cookie and path parameters of the previous process; the process creates both if undefined. */
  readonly world?: { readonly cookie: string; readonly ids: CutWorld['ids'] } | undefined
  /** Name of the endpoint, and number of the request. */
  readonly name: string
  readonly n: number
  /** Request that a kill interrupted in the previous process. */
  readonly cut?: CutRequestNote | undefined
  /** Number of commits after which the process is killed; 0 for no kill, and -1 for no further request. */
  readonly commits: number
}

/** An interrupted request that is passed to the next process. */
export interface CutRequestNote {
  readonly key: string
  readonly request: Pick<KeyedRequest, 'path' | 'body'>
  readonly by: string | undefined
  readonly rows: readonly (readonly [string, number])[]
}

const task: KilledTask = JSON.parse(process.argv[2] ?? '{}')
const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`)

let commitsLeft = Number.POSITIVE_INFINITY
const { step } = RequestRun.prototype
RequestRun.prototype.step = async function (store, write, item) {
  const result = await step.call(this, store, write as never, item)
  if (--commitsLeft === 0) process.kill(process.pid, 'SIGKILL')
  return result as never
}

const storage = { ...task.storage, databaseUrl: task.storage.databaseUrl, remove: async () => {} }
const roles = {
  POSTRIDER_ROLES: storage.databaseUrl === undefined ? 'api,dashboard' : 'api,dashboard,delivery',
}
const app = await TestApp.start({ storage, env: roles })
const world = task.world === undefined ? await cutWorld(app) : known(task.world)
say({ world: { cookie: world.owner.cookie, ids: world.ids } })

function known({ cookie, ids }: NonNullable<KilledTask['world']>): CutWorld {
  return { app, owner: personWith(cookie), ids }
}

function personWith(cookie: string): Person {
  const person = new Person(app)
  person.cookie = cookie
  return person
}

if (task.cut !== undefined) {
  const { request, by, key, rows } = task.cut
  const whole = { ...request, ...(by === undefined ? {} : { by: personWith(by) }) }
  const { status, body } = await askUnder(world, whole, key)
  if (status < 300) await checkStored(world, task.name, body)
  say({ again: { status, body, rows: added(new Map(rows), await rowCounts(app.store)) } })
}

if (task.commits >= 0) {
  const request = await keyedRequest(world, task.name, task.n)
  const { by, ...rest } = request
  const rows = await rowCounts(app.store)
  const key = `killed ${task.n}`
  say({ cut: { key, request: rest, by: by?.cookie, rows: [...rows] } })
  if (task.commits > 0) commitsLeft = task.commits
  const { status, body } = await askUnder(world, request, key)
  say({ whole: { status, body, rows: added(rows, await rowCounts(app.store)) } })
}
await app.stop()
