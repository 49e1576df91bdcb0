// Command-line options of the measurements.

import { parseArgs } from 'node:util'
import { count, oneOf, readWords, WrongArgument } from '../../test/support/tool.ts'

/** Options of all measurements; each measurement uses only some options. */
export interface Options {
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  readonly messages: number
  readonly destinations: number
  readonly database: 'sqlite' | 'postgres'
  /** True to accept all messages first, and to start delivery afterwards. */
  readonly prefilled: boolean
  /** True if the sink offers the SMTP extension CHUNKING, like Postfix and large mailbox providers. */
  readonly chunking: boolean
  /** Protocol by which messages are submitted. */
  readonly door: 'http' | 'smtp'
  /** Mail server that delivers the same messages for comparison. */
  readonly beside: 'postfix' | undefined
  /** True to connect to the sink through a proxy that delays all traffic. */
  readonly proxy: boolean
  /** Number of recipients in the queue at the start. */
  readonly queued: number | undefined
  /** True to add a destination whose mail host never responds. */
  readonly blackHole: boolean
  /** Maximum number of requests per second. */
  readonly rate: number | undefined
  /** True to run only the measurements whose figures `record` stores. */
  readonly short: boolean
  /** Parent directory of the temporary directory with the store. */
  readonly dir: string | undefined
  /** Directory for the CPU profiles of the measured process. */
  readonly profile: string | undefined
  /** Commit that is measured in comparison with this code. */
  readonly with: string | undefined
  /** The only kind of load that is compared with the other commit; undefined for all kinds. */
  readonly only: PairKind | undefined
}

/** Kinds of load under which `pair` compares two commits. */
export const PAIR_KINDS = ['accept', 'smtp', 'deliver', 'verify'] as const
export type PairKind = (typeof PAIR_KINDS)[number]

export const USAGE = `npm run bench -- accept|check|compat|smtp|deliver|template|verify|dashboard|explain|deliverability|partitions|retention|bytes|tracking|webhooks|bulk|lists [options]
       npm run bench -- record     runs short forms of accept, smtp, deliver, verify and template, and adds their figures to bench/history.tsv and bench/README.md
       npm run bench -- compare    shows the figures of the last record that fell by more than the noise, and since which commit
       npm run bench -- pair --with COMMIT   runs accept, smtp, deliver and verify of that commit and of this code in alternating rounds; --only KIND runs one of them

  deliver measures one node; another measurement of deliver has one of these options:
  --beside postfix  also Postfix with OpenDKIM, with the same messages in alternating rounds
  --proxy           one connection with a round trip time of 50 ms, and nodemailer's pooled transport
  --queued N        claims and memory with N recipients in the queue, and with 1,000 (1000 destinations)
  --black-hole      latency while 50,000 messages (--queued) wait for a mail host that never responds (300/s)

  --connections N   connections of the load (64; 48 over SMTP, which allows 50 for a client)
  --seconds N       length of a round that is limited by time (5)
  --rounds N        rounds (3; 9 for pair)
  --messages N      messages in each round of deliver, and in bytes (20000); rows of bulk (100000)
  --destinations N  recipient domains, each with its own mail host (8)
  --database NAME   sqlite or postgres (sqlite)
  --door NAME       deliver: http or smtp, the protocol of submission (http)
  --prefilled       deliver: accept all messages first, then start delivery
  --no-chunking     deliver: the sink does not offer CHUNKING
  --queued N        dashboard, explain, partitions, retention: messages in the store (1000000); deliverability (10000000)
  --rate N          deliver: maximum requests per second, over HTTP (no limit); tracking: hits per second (5000)
  --dir DIR         parent directory of the store (the system's temporary directory)
  --profile DIR     directory for CPU profiles of the measured process
`

/** Parses the arguments. Throws `WrongArgument`. */
function parse(args: readonly string[]) {
  const given = {
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      connections: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      messages: { type: 'string' },
      destinations: { type: 'string' },
      database: { type: 'string' },
      prefilled: { type: 'boolean', default: false },
      chunking: { type: 'boolean', default: true },
      door: { type: 'string' },
      beside: { type: 'string' },
      proxy: { type: 'boolean', default: false },
      queued: { type: 'string' },
      'black-hole': { type: 'boolean', default: false },
      rate: { type: 'string' },
      dir: { type: 'string' },
      profile: { type: 'string' },
      with: { type: 'string' },
      only: { type: 'string' },
    },
  } as const
  try {
    return parseArgs(given)
  } catch (error) {
    throw new WrongArgument((error as Error).message)
  }
}

/** Reads the name of the measurement and its options. Throws `WrongArgument`. */
export function readOptions(args: readonly string[]): { name: string; options: Options } {
  const { values, positionals } = parse(args)
  const [name = '', ...more] = positionals
  readWords(more)
  const door = oneOf('--door', 'http', 'smtp')(values.door)
  const blackHole = values['black-hole']
  const overSmtp = name === 'smtp' || door === 'smtp'
  const manyDestinations = values.queued !== undefined && !blackHole
  const options: Options = {
    connections: count('--connections', overSmtp ? 48 : 64)(values.connections),
    seconds: count('--seconds', 5)(values.seconds),
    rounds: count('--rounds', name === 'pair' ? 9 : 3)(values.rounds),
    messages: count('--messages', 20_000)(values.messages),
    destinations: count('--destinations', manyDestinations ? 1_000 : 8)(values.destinations),
    database: oneOf('--database', 'sqlite', 'postgres')(values.database),
    prefilled: values.prefilled,
    chunking: values.chunking,
    door,
    beside: values.beside === undefined ? undefined : oneOf('--beside', 'postfix')(values.beside),
    proxy: values.proxy,
    queued: values.queued === undefined ? undefined : count('--queued', 1)(values.queued),
    blackHole,
    rate: values.rate === undefined ? undefined : count('--rate', 1)(values.rate),
    short: false,
    dir: values.dir,
    profile: values.profile,
    with: values.with,
    only: values.only === undefined ? undefined : oneOf('--only', ...PAIR_KINDS)(values.only),
  }
  return { name, options }
}
