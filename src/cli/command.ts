// The definition of a command: its name, one sentence, its inputs, and its action.

import type { Clock } from '../lib/clock.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { MAX_RETENTION_DAYS } from '../model/retention.ts'
import { parseExpiry } from './times.ts'

/** One input of a command: an argument, an option with a value, or a flag. */
export interface Input<T> {
  /** Placeholder of the value in the help, such as `DOMAIN`; undefined for a flag. */
  readonly value: string | undefined
  /** True for an argument, which may also be given as an option with its placeholder in lower case. */
  readonly positional: boolean
  readonly required: boolean
  readonly help: string
  /** Parses the given text. Throws an Error whose message ends "--name must be …". */
  read(text: string): T
}

export type Inputs = Readonly<Record<string, Input<unknown>>>

/** The given values, by input name. */
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
  /** Reads all of standard input, without a byte order mark. Throws `malformed_request` for text that is not UTF-8. */
  readInput(): Promise<string>
  /** Reads the first line of standard input; a terminal shows the prompt and hides the input. */
  readLine(asked: string): Promise<string>
  /** Writes to standard output for results too large for an answer; resolves when there is room for more. */
  print(text: string): Promise<void>
}

/** The answer of a command, for programs and for people. */
export interface Answer {
  /** The JSON document of `--json`. */
  readonly document: object
  /** Lines for people, without the last line break; if empty, nothing is printed. */
  readonly text: string
  /** A sentence for standard error, if standard output is for programs only. */
  readonly note?: string
  /** True if the command worked but found a problem: exit code 1. */
  readonly failed?: boolean
}

/** A command in the table of `commands.ts`. */
export interface Command<I extends Inputs = Inputs> {
  /** Words of the command, such as `key create`. */
  readonly name: string
  /** One sentence. */
  readonly help: string
  /** Further paragraphs of the help. */
  readonly more?: readonly string[]
  readonly inputs: I
  /** Runs the command; resolves to undefined if it has printed its result itself. */
  run(context: Context, given: Given<I>): Promise<Answer | undefined>
}

/** Defines a command and keeps the types of its inputs for `run`. */
export const command = <const I extends Inputs>(definition: Command<I>): Command => definition

const asIs = (text: string): string => text

/** A required argument. */
export const argument = (value: string, help: string): Input<string> => ({
  value,
  positional: true,
  required: true,
  help,
  read: asIs,
})

/** An option with a text; undefined when absent. */
export const option = (value: string, help: string): Input<string | undefined> => ({
  value,
  positional: false,
  required: false,
  help,
  read: asIs,
})

/** An option without a value. */
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

/** Makes an input an argument. */
export const positional = <T>(input: Input<T>): Input<T> => ({ ...input, positional: true })

/** An option with one of a few words. */
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

/** An option with a whole number from 1 to `most`. */
export const count = (most: number, value: string, help: string): Input<number | undefined> => ({
  ...option(value, help),
  read(text) {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (number < 1 || number > most) throw new Error(`must be a whole number from 1 to ${most}`)
    return number
  },
})

/** An option with a number of days, or `inherit`, which reads as null. */
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

/** An option with a rate such as `50/s`. */
export const rate = (help: string): Input<string | undefined> => ({
  ...option('RATE', help),
  read(text) {
    if (parseRate(text) === undefined) throw new Error('must be a rate such as 50/s or 1000/m')
    return text
  },
})

/**
 * An option with a time, or a duration from now; reads as milliseconds since the epoch, by the clock of the machine.
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
