// Definition of a command: its name, one sentence, its inputs, and its action.

import type { Clock } from '../lib/clock.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { MAX_RETENTION_DAYS } from '../model/retention.ts'
import { parseExpiry } from './times.ts'

/** One word that a command takes: an argument, an option with a value, or a flag. */
export interface Input<T> {
  /** Placeholder of the value in the help, such as `DOMAIN`; undefined for a flag. */
  readonly value: string | undefined
  /** Taken from its place on the line, or given as the option of its name: the placeholder in lower case. */
  readonly positional: boolean
  readonly required: boolean
  readonly help: string
  /** Reads the text that was given. Throws an Error whose message ends "--name must be …". */
  read(text: string): T
}

export type Inputs = Readonly<Record<string, Input<unknown>>>

/** Values given, by the names of the inputs. */
type Given<I extends Inputs> = {
  readonly [Name in keyof I]: I[Name] extends Input<infer T> ? T : never
}

/** Surroundings of a command. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Standard output is to be one JSON document. */
  readonly json: boolean
  /** The name of the command that runs, such as `key create`. */
  readonly command?: string
  /** All of standard input, without a byte order mark. Throws `malformed_request` when it is not UTF-8. */
  readInput(): Promise<string>
  /** Its first line, which at a terminal is asked for in these words and not shown. */
  readLine(asked: string): Promise<string>
  /** Writes to standard output what is too large for an answer; resolves when there is room for more. */
  print(text: string): Promise<void>
}

/** Answer of a command: the same for programs and for people. */
export interface Answer {
  /** The one JSON document of `--json`. */
  readonly document: object
  /** Lines for people, without the last line break; empty: nothing is printed. */
  readonly text: string
  /** A sentence for standard error, where standard output is for programs alone. */
  readonly note?: string
  /** The command did its work, and found that something is wrong: exit code 1. */
  readonly failed?: boolean
}

/** One command of the table in `commands.ts`. */
export interface Command<I extends Inputs = Inputs> {
  /** Such as `key create`. */
  readonly name: string
  /** One sentence. */
  readonly help: string
  /** Further paragraphs of the help. */
  readonly more?: readonly string[]
  readonly inputs: I
  /** Undefined when the command has printed what it had to print itself. */
  run(context: Context, given: Given<I>): Promise<Answer | undefined>
}

/** A command with its inputs' types kept for `run`. */
export const command = <const I extends Inputs>(definition: Command<I>): Command => definition

const asIs = (text: string): string => text

/** An argument that must be given. */
export const argument = (value: string, help: string): Input<string> => ({
  value,
  positional: true,
  required: true,
  help,
  read: asIs,
})

/** An option that takes a text; undefined when it is absent. */
export const option = (value: string, help: string): Input<string | undefined> => ({
  value,
  positional: false,
  required: false,
  help,
  read: asIs,
})

/** An option that is there or not. */
export const flag = (help: string): Input<boolean> => ({
  value: undefined,
  positional: false,
  required: false,
  help,
  read: () => true,
})

/** The same input, but it has to be given. */
export const required = <T>(input: Input<T>): Input<NonNullable<T>> => ({
  ...input,
  required: true,
  read: (text) => input.read(text) as NonNullable<T>,
})

/** The same input, but taken from its place on the line. */
export const positional = <T>(input: Input<T>): Input<T> => ({ ...input, positional: true })

/** An option that is one of a few words. */
export const choice = <const T extends string>(
  words: readonly T[],
  value: string,
  help: string,
): Input<T | undefined> => ({
  ...option(value, help),
  read(text) {
    const found = words.find((word) => word === text)
    if (found === undefined) throw new Error(`must be ${words.join(' or ')}`)
    return found
  },
})

/** An option that is a whole number from 1 to `most`. */
export const count = (most: number, value: string, help: string): Input<number | undefined> => ({
  ...option(value, help),
  read(text) {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (number < 1 || number > most) throw new Error(`must be a whole number from 1 to ${most}`)
    return number
  },
})

/** An option that is a number of days, or `inherit`, which is null. */
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

/** An option that is a rate such as `50/s`. */
export const rate = (help: string): Input<string | undefined> => ({
  ...option('RATE', help),
  read(text) {
    if (parseRate(text) === undefined) throw new Error('must be a rate such as 50/s or 1000/m')
    return text
  },
})

/** An option that is a moment, or a time from now; answers milliseconds since the epoch, by the machine's clock. */
export const expiry = (help: string): Input<number | undefined> => ({
  ...option('WHEN', help),
  read(text) {
    const at = parseExpiry(text, Date.now())
    if (at === undefined)
      throw new Error('must be a time such as 2027-01-31T00:00:00Z, or a duration such as 30d')
    return at
  },
})
