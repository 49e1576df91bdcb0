// What can be chosen for a measurement.

import { parseArgs } from 'node:util'

/** The options of every measurement; each uses those that mean something to it. */
export interface Options {
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  readonly messages: number
  readonly destinations: number
  readonly database: 'sqlite' | 'postgres'
  /** Accept everything first and deliver afterwards. */
  readonly prefilled: boolean
  /** Whether the sink offers CHUNKING, as Postfix and the large providers do. */
  readonly chunking: boolean
  /** Requests a second at most. */
  readonly rate: number | undefined
  /** Where the store's directory is made. */
  readonly dir: string | undefined
  /** Where the profiles of the measured process are written. */
  readonly profile: string | undefined
}

export const HELP = `npm run bench -- accept|smtp|deliver [options]

  --connections N   connections of the load (64; smtp: 48, a client may have 50)
  --seconds N       length of a round of accept and smtp (5)
  --rounds N        rounds of accept and smtp (3)
  --messages N      messages of deliver (20000)
  --destinations N  recipient domains, each with a mail host of its own (8)
  --database NAME   sqlite or postgres (sqlite)
  --prefilled       deliver: accept everything first, then start delivery
  --no-chunking     deliver: the sink does not offer CHUNKING
  --rate N          deliver: requests a second at most (no limit)
  --dir DIR         where the store is put (the system's temporary directory)
  --profile DIR     write CPU profiles of the measured process there
`

/** Reads the command line. Throws what is wrong with it in words. */
export function readOptions(args: readonly string[]): { name: string; options: Options } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      connections: { type: 'string' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      messages: { type: 'string', default: '20000' },
      destinations: { type: 'string', default: '8' },
      database: { type: 'string', default: 'sqlite' },
      prefilled: { type: 'boolean', default: false },
      chunking: { type: 'boolean', default: true },
      rate: { type: 'string' },
      dir: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const { database } = values
  const name = positionals[0] ?? ''
  if (database !== 'sqlite' && database !== 'postgres') {
    throw new Error(`--database is sqlite or postgres, not ${database}`)
  }
  const options: Options = {
    connections: positive('connections', values.connections ?? (name === 'smtp' ? '48' : '64')),
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    messages: positive('messages', values.messages),
    destinations: positive('destinations', values.destinations),
    database,
    prefilled: values.prefilled,
    chunking: values.chunking,
    rate: values.rate === undefined ? undefined : positive('rate', values.rate),
    dir: values.dir,
    profile: values.profile,
  }
  return { name, options }
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new Error(`--${name} is a whole number from 1, not ${text}`)
  return Number(text)
}
