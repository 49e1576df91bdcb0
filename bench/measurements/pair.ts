// Measures this code and another commit in alternating rounds on one machine. Alternating rounds show differences of a
// few per cent, which the noise between two separate runs would hide.

import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WrongArgument } from '../../test/support/tool.ts'
import { type DatabaseCost, databaseCost } from '../harness/database-cost.ts'
import { loadOn } from '../harness/hand-over.ts'
import { type Options, PAIR_KINDS, type PairKind } from '../harness/options.ts'
import { figure, heading, line, median } from '../harness/report.ts'
import { type Node, PACKAGED, Rig } from '../harness/rig.ts'
import { runRound, warmUp } from '../harness/round.ts'
import { openVerifying, verificationZone } from './verify.ts'

const ROOT = join(import.meta.dirname, '../..')
const OTHER = join(ROOT, 'node_modules/.cache/bench-other')

const SMTP_CONNECTIONS = 48
const WARM_UP_SECONDS = 6
/** Length of a round; short, because the speed of the machine changes within a minute. */
const ROUND_SECONDS = 2
const ROUND_MESSAGES = 4_000
const ROUND_VERIFICATIONS = 6_000
/**
 * Pairs of rounds that one process of each program runs. Two processes of the same program differed by up to 6 % for as
 * long as both ran, so a comparison needs several processes.
 */
const PAIRS_OF_A_PROCESS = 3

/** One of the two compared programs, with its load generator. */
interface Side {
  readonly node: Node
  readonly databaseUrl: string | undefined
  /** Runs the load of one round; returns the number and the rate of messages or verifications. */
  readonly run: () => Promise<{ readonly count: number; readonly perSecond: number }>
}

/** Measured values of a round, by name; CPU time is in microseconds per message or verification. */
type Figures = Readonly<Record<string, number>>

/** Two rounds, one after the other. */
interface Pair {
  readonly theirs: Figures
  readonly ours: Figures
}

/**
 * Runs the measurement `npm run bench -- pair --with COMMIT`. Both programs run with the flags and environment
 * variables of this commit's `bin/node`.
 */
export async function measurePair(options: Options): Promise<void> {
  if (options.with === undefined) throw new WrongArgument('--with COMMIT names the commit to compare with.')
  await compileOther(options.with)
  const kinds = options.only === undefined ? PAIR_KINDS : [options.only]
  for (const kind of kinds) await measureKind(kind, options)
}

/** Compiles the program of another commit, with the installed dependencies if both lock files are equal. */
async function compileOther(commit: string): Promise<void> {
  const tree = await mkdtemp(join(tmpdir(), 'postrider-bench-tree-'))
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  git('worktree', 'add', '--force', '--detach', tree, commit)
  try {
    if (await sameLock(tree)) await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    else execFileSync('npm', INSTALL, { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] })
    const program = 'bench/processes/server-under-test.ts'
    execFileSync('sh', ['bin/node', 'bin/compile.ts', OTHER, program], { cwd: tree, stdio: 'inherit' })
  } finally {
    git('worktree', 'remove', '--force', tree)
    await rm(tree, { recursive: true, force: true })
  }
}

const INSTALL = ['install', '--include=dev', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund']

/** True if the commit in `tree` has the same dependencies as this code. */
async function sameLock(tree: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all(
    [tree, ROOT].map((root) => readFile(join(root, 'package-lock.json'), 'utf8')),
  )
  return theirs === ours
}

async function measureKind(kind: PairKind, given: Options): Promise<void> {
  const options: Options = kind === 'smtp' ? { ...given, door: 'smtp', connections: SMTP_CONNECTIONS } : given
  const pairs: Pair[] = []
  while (pairs.length < options.rounds) {
    const count = Math.min(PAIRS_OF_A_PROCESS, options.rounds - pairs.length)
    pairs.push(...(await measurePairs(kind, options, count)))
  }
  heading(`${kind}: ${given.with} and this code, ${options.rounds} pairs of rounds, ${options.database}`)
  report(pairs)
}

/** Measures pairs of rounds with new processes of both programs. */
async function measurePairs(kind: PairKind, options: Options, count: number): Promise<Pair[]> {
  const rigs: Rig[] = []
  try {
    const open = async (folder: string): Promise<Side> => {
      const rig = await Rig.open(options, kind === 'verify' ? verificationZone() : {}, {}, folder)
      rigs.push(rig)
      return openSide(kind, rig, options)
    }
    const theirs = await open(join(OTHER, 'compiled'))
    const ours = await open(PACKAGED)
    const pairs: Pair[] = []
    for (let index = 0; index < count; index++) {
      // The side that runs first alternates, because the first round of a pair may affect the second round.
      const isOursFirst = index % 2 === 1
      const before = isOursFirst ? await round(ours) : undefined
      const others = await round(theirs)
      pairs.push({ theirs: others, ours: before ?? (await round(ours)) })
    }
    return pairs
  } finally {
    for (const rig of rigs) await rig.close()
  }
}

async function openSide(kind: PairKind, rig: Rig, options: Options): Promise<Side> {
  const { databaseUrl } = rig.storage
  if (kind === 'verify') {
    const { node, verify } = await openVerifying(rig)
    await verify(ROUND_VERIFICATIONS)
    return {
      ...{ node, databaseUrl },
      run: async () => ({ count: ROUND_VERIFICATIONS, ...(await verify(ROUND_VERIFICATIONS)) }),
    }
  }
  const sink = kind === 'deliver' ? await rig.sink() : undefined
  const roles = { accept: 'api', smtp: 'smtp', deliver: 'api,delivery' }[kind]
  const node = await rig.node(roles, sink?.port)
  const handOver = await loadOn(node, rig, options)
  if (sink === undefined) {
    await handOver({ seconds: WARM_UP_SECONDS })
    const run = async () => {
      const { requests: count, perSecond } = await handOver({ seconds: ROUND_SECONDS })
      return { count, perSecond }
    }
    return { node, databaseUrl, run }
  }
  await warmUp(handOver, sink)
  const run = async () => {
    const { sink: arrived, perSecond } = await runRound(handOver, sink, { count: ROUND_MESSAGES })
    return { count: arrived.messages, perSecond }
  }
  return { node, databaseUrl, run }
}

async function round({ node, databaseUrl, run }: Side): Promise<Figures> {
  const before = await databaseCost(databaseUrl)
  await node.process.ask('reset', undefined)
  const { count, perSecond } = await run()
  const { cpuMicros, threadMicros, rssMiB } = await node.process.ask('figures', undefined)
  const after = await databaseCost(databaseUrl)
  const threads = Object.entries(threadMicros).map(([name, micros]) => [`CPU of ${name}`, micros / count])
  return {
    'rate, 1/s': perSecond,
    CPU: cpuMicros / count,
    ...Object.fromEntries(threads),
    ...(before && after && ofDatabase(before, after, count)),
    'memory, MiB': rssMiB,
  }
}

/** Returns the resource usage of PostgreSQL per message. */
const ofDatabase = (before: DatabaseCost, after: DatabaseCost, count: number): Figures => ({
  'CPU of PostgreSQL': (after.cpuMicros - before.cpuMicros) / count,
  'write-ahead log, bytes': (after.walBytes - before.walBytes) / count,
  'messages a transaction': count / (after.commits - before.commits),
})

function report(pairs: readonly Pair[]): void {
  line('', 'other', 'this', 'this / other')
  const names = Object.keys(pairs[0]?.ours ?? {})
  for (const name of names) {
    const of = (side: keyof Pair): number => median(pairs.map((pair) => pair[side][name] ?? 0))
    const ratio = median(pairs.map(({ theirs, ours }) => (ours[name] ?? 0) / (theirs[name] ?? 0)))
    if (of('ours') >= 1) line(name, figure(of('theirs')), figure(of('ours')), figure(ratio))
  }
}
