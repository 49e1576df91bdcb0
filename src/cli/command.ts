// Types and functions for the definition of a command: its name, its help, its inputs, and its action.

import type { Clock } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { ROTATION_DAYS } from '../model/domain.ts'
import { MAX_RETENTION_DAYS } from '../model/retention.ts'
import type { Remote } from './remote.ts'
import { parseExpiry } from './times.ts'

/** Maximum waiting time that an option of a command may request, in milliseconds. */
const MAX_WAIT_MS = 86_400_000

/** One input of a command: an argument, an option with a value, or a flag. */
export interface Input<T> {
  /** Placeholder of the value in the help, such as `DOMAIN`; undefined for a flag. */
  readonly value: string | undefined
  /** True for a positional argument, which may also be given as an option with the name of the input. */
  readonly positional: boolean
  readonly required: boolean
  readonly help: string
  /** Parses the given text. Throws an Error with a message that completes the sentence "--name must be …". */
  read(text: string): T
}

export type Inputs = Readonly<Record<string, Input<unknown>>>

/** Values given on the command line, by input name. */
type Given<I extends Inputs> = {
  readonly [Name in keyof I]: I[Name] extends Input<infer T> ? T : never
}

/** Environment of a command. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** True if standard output must be one JSON document. */
  readonly json: boolean
  /** Name of the running command, such as `key create`. */
  readonly command?: string
  /** Installation elsewhere that the command works on; undefined for the store of this machine. */
  readonly remote?: Remote | undefined
  /** Reads standard input to its end and removes a byte order mark. Throws `malformed_request` for invalid UTF-8. */
  readInput(): Promise<string>
  /** Reads the first line of standard input; a terminal shows the prompt and hides the typed characters. */
  readLine(asked: string): Promise<string>
  /** Writes a part of a result too large for an `Answer` to standard output; resolves once the part is written. */
  print(text: string): Promise<void>
}

/** Options that name an installation elsewhere. */
export interface RemoteOptions {
  readonly url?: string | undefined
  /** Key; `-` reads the key from standard input. */
  readonly key?: string | undefined
  readonly profile?: string | undefined
}

/** Result of a command, as a JSON document and as text for people. */
export interface Answer {
  /** JSON document that `--json` prints. */
  readonly document: object
  /** Text for people, without the last line break; an empty text is not printed. */
  readonly text: string
  /** Sentence for standard error, for commands with standard output that only programs read. */
  readonly note?: string
  /** True if the command ran but found a problem; the exit code is then 1. */
  readonly failed?: boolean
}

/** Definition of a command in the table of `commands.ts`. */
export interface Command<I extends Inputs = Inputs> {
  /** Words of the command, such as `key create`. */
  readonly name: string
  /** Help of the command, in one sentence. */
  readonly help: string
  /** Further paragraphs of the help. */
  readonly more?: readonly string[]
  readonly inputs: I
  /**
   * Place where the command works: `machine`, with the reason, for a command that only works on the machine of the
   * service, and `profiles` for a command that only changes the profiles of the user. By default a command works on the
   * store of the machine and on an installation elsewhere.
   */
  readonly place?: { readonly machine: string } | 'profiles'
  /** Runs the command; resolves to undefined if the command has already printed its result. */
  run(context: Context, given: Given<I>, remote: RemoteOptions): Promise<Answer | undefined>
}

/** Defines a command; TypeScript infers the types of the inputs for `run`. */
export const command = <const I extends Inputs>(definition: Command<I>): Command => definition

const asIs = (text: string): string => text

/** Defines a required argument. */
export const argument = (value: string, help: string): Input<string> => ({
  value,
  positional: true,
  required: true,
  help,
  read: asIs,
})

/** Defines an option with a text; undefined if the option is absent. */
export const option = (value: string, help: string): Input<string | undefined> => ({
  value,
  positional: false,
  required: false,
  help,
  read: asIs,
})

/** Defines an option without a value (a flag). */
export const flag = (help: string): Input<boolean> => ({
  value: undefined,
  positional: false,
  required: false,
  help,
  read: () => true,
})

/** Makes an input required. */
export const required = <T>(input: Input<T>): Input<NonNullable<T>> => ({
  ...input,
  required: true,
  read: (text) => input.read(text) as NonNullable<T>,
})

/** Makes an input a positional argument. */
export const positional = <T>(input: Input<T>): Input<T> => ({ ...input, positional: true })

/** Defines an option with one of the given words as its value. */
export const choice = <const T extends string>(
  words: readonly T[],
  value: string,
  help: string,
): Input<T | undefined> => ({
  ...option(value, help),
  read(text) {
    const found = words.find((word) => word === text)
    if (found === undefined)
      throw new Error(`must be ${words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')}`)
    return found
  },
})

/** Defines an option with an integer value from 1 to `most`. */
export const count = (most: number, value: string, help: string): Input<number | undefined> => ({
  ...option(value, help),
  read(text) {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (number < 1 || number > most) throw new Error(`must be a whole number from 1 to ${most}`)
    return number
  },
})

/** Defines an option whose value is a list of words, separated by commas. */
export const words = (value: string, help: string): Input<readonly string[] | undefined> => ({
  ...option(value, help),
  read(text) {
    const list = text.split(',').map((word) => word.trim())
    if (list.includes('')) throw new Error('must be a list of words, separated by commas')
    return list
  },
})

/** Defines an option whose value is a number of days, or `inherit`, which is parsed as null. */
export const retentionDays = (help: string): Input<number | null | undefined> => ({
  ...option('DAYS', help),
  read(text) {
    if (text === 'inherit') return null
    const days = /^\d{1,5}$/.test(text) ? Number(text) : 0
    if (days < 1 || days > MAX_RETENTION_DAYS) {
      throw new Error(`must be a number of days from 1 to ${MAX_RETENTION_DAYS}, or inherit`)
    }
    return days
  },
})

/** Defines an option whose value is an interval of key rotation in days, or `off`, which is parsed as null. */
export const rotationDays = (help: string): Input<number | null | undefined> => ({
  ...option('DAYS', help),
  read(text) {
    if (text === 'off') return null
    const days = /^\d{1,5}$/.test(text) ? Number(text) : 0
    const { min, max } = ROTATION_DAYS
    if (days < min || days > max) throw new Error(`must be a number of days from ${min} to ${max}, or off`)
    return days
  },
})

/** Defines an option with a rate such as `50/s` as its value. */
export const rate = (help: string): Input<string | undefined> => ({
  ...option('RATE', help),
  read(text) {
    if (parseRate(text) === undefined) throw new Error('must be a rate such as 50/s or 1000/m')
    return text
  },
})

/** Defines an option with a duration of at most a day as its value, such as `10m`, which is parsed as milliseconds. */
export const wait = (help: string): Input<number | undefined> => ({
  ...option('DURATION', help),
  read(text) {
    const ms = parseDuration(text) ?? 0
    if (ms < 1 || ms > MAX_WAIT_MS)
      throw new Error('must be a duration of at most a day, such as 30s, 10m or 2h')
    return ms
  },
})

/**
 * Defines an option with a time or a duration from now as its value, which is parsed as milliseconds since the epoch by
 * the clock of this machine.
 */
export const expiry = (help: string): Input<number | undefined> => ({
  ...option('WHEN', help),
  read(text) {
    const at = parseExpiry(text, Date.now())
    if (at === undefined)
      throw new Error('must be a time such as 2027-01-31T00:00:00Z, or a duration such as 30d')
    return at
  },
})
