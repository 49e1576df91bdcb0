// Parses a command line according to the table of commands.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { nearest } from '../lib/nearest.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { type Command, type Input, option, type RemoteOptions } from './command.ts'

/** Error for a command line that cannot be parsed; the exit code is 2. */
export class UsageError extends Problem {
  /** @param about command or group with help about the correct usage; empty for the overview */
  constructor(detail: string, about: string, errors: readonly FieldProblem[] = []) {
    const help = about === '' ? 'postrider --help' : `postrider help ${about}`
    const see = detail.endsWith('?') ? ' See' : '; see'
    super('validation_failed', `${detail}${see} \`${help}\`.`, { errors })
  }
}

/** Parsed command line: a command to run, or a request for help or the version. */
export type Parsed =
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly given: Readonly<Record<string, unknown>>
      readonly remote: RemoteOptions
    }
  /**
   * Request for help about a command, a group such as `key`, or the settings (`settings`, or `settings WORD`); an empty
   * `about` means the overview.
   */
  | { readonly kind: 'help'; readonly about: string }
  | { readonly kind: 'version' }

/** Topic of the help that lists the settings. */
export const SETTINGS_TOPIC = 'settings'

/** Options that every command has. */
export const COMMON_OPTIONS = {
  json: { help: 'Prints one JSON document on standard output.' },
  help: { help: 'Shows how the command is used.' },
} as const

/** Options of every command that works on an installation elsewhere; they may also be written before the command. */
export const REMOTE_OPTIONS = {
  url: option(
    'URL',
    'The URL of an installation elsewhere, such as https://mail.example.com; or POSTRIDER_URL.',
  ),
  key: option(
    'KEY',
    'The key for the URL; - reads it from standard input. POSTRIDER_KEY keeps it out of the list of processes.',
  ),
  profile: option('NAME', 'The profile with the URL and the key.'),
} as const

const ANYWHERE = ['--json', '--help', '-h']
const isRemote = (name: string): name is keyof typeof REMOTE_OPTIONS => Object.hasOwn(REMOTE_OPTIONS, name)

/** Returns the index of the first word of the command; -1 if there is none. */
function firstWord(words: readonly string[]): number {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (ANYWHERE.includes(word)) continue
    const [, name = '', value] = /^--([a-z]+)(=.*)?$/s.exec(word) ?? []
    if (!isRemote(name)) return index
    if (value === undefined) index++
  }
  return -1
}

/** Parses the words after `postrider` on a command line. Throws `UsageError`. */
export function parse(words: readonly string[], commands: readonly Command[]): Parsed {
  const end = words.indexOf('--')
  const options = end === -1 ? words : words.slice(0, end)
  const helpAsked = options.includes('--help') || options.includes('-h')
  const first = firstWord(words)
  const [noun = '', verb = ''] = first === -1 ? [] : words.slice(first)
  if (noun === '--version' || noun === 'version') return { kind: 'version' }
  if (noun === 'help') return { kind: 'help', about: topic(words.slice(first + 1), commands) }
  if (noun === '') {
    if (helpAsked) return { kind: 'help', about: '' }
    throw new UsageError('A command is missing', '')
  }
  const command = commands.find((one) => one.name === `${noun} ${verb}` || one.name === noun)
  if (helpAsked) return { kind: 'help', about: command?.name ?? topic([noun], commands) }
  if (command === undefined) throw unknownCommand(noun, verb, commands)
  const rest = words.slice(first + command.name.split(' ').length)
  return { kind: 'run', command, ...readInputs(command, [...words.slice(0, first), ...rest]) }
}

/** Returns the topic of the requested help: a command, a group of commands, or the settings. */
function topic(words: readonly string[], commands: readonly Command[]): string {
  const [noun = '', verb = ''] = words.filter((word) => !word.startsWith('-'))
  if (noun === SETTINGS_TOPIC) return `${noun} ${verb}`.trimEnd()
  const known = [`${noun} ${verb}`, noun].find(
    (name) => name === '' || commands.some((one) => one.name === name || one.name.startsWith(`${name} `)),
  )
  if (known === undefined) throw unknownCommand(noun, verb, commands)
  return known
}

function unknownCommand(noun: string, verb: string, commands: readonly Command[]): UsageError {
  if (noun.startsWith('-')) {
    return new UsageError(`${noun} is not an option of postrider itself; write options after the command`, '')
  }
  const verbs = commands
    .filter((one) => one.name.startsWith(`${noun} `))
    .map((one) => one.name.slice(noun.length + 1))
  if (verbs.length > 0) {
    const known = verbs.join(', ')
    if (verb === '' || verb.startsWith('-'))
      return new UsageError(`${noun} needs a subcommand: ${known}`, noun)
    const near = nearest(verb, verbs)
    const hint = near === undefined ? `${noun} has the subcommands ${known}` : `did you mean ${noun} ${near}?`
    return new UsageError(`There is no command ${JSON.stringify(`${noun} ${verb}`)}: ${hint}`, noun)
  }
  const near = nearest(noun, new Set(commands.map((one) => one.name.split(' ')[0] as string)))
  const hint = near === undefined ? '' : `: did you mean ${near}?`
  return new UsageError(`There is no command ${JSON.stringify(noun)}${hint}`, '')
}

function readInputs(
  command: Command,
  words: readonly string[],
): { given: Record<string, unknown>; remote: RemoteOptions } {
  const inputs = Object.entries(command.inputs)
  const texts = textsOf(command, words)
  const remote = readRemote(command, texts)
  const problems: FieldProblem[] = []
  const given: Record<string, unknown> = {}
  for (const [name, input] of inputs) {
    const text = texts.get(name)
    if (text === undefined) {
      if (input.required)
        problems.push({ path: name, code: 'required', message: `${spelled(name, input)} is missing` })
      given[name] = input.value === undefined ? false : undefined
      continue
    }
    try {
      given[name] = input.read(text)
    } catch (error) {
      const message = `${spelled(name, input)} ${(error as Error).message}; it is ${JSON.stringify(text)}`
      problems.push({ path: name, code: 'invalid_value', message })
    }
  }
  if (problems.length > 0) {
    throw new UsageError(problems.map((problem) => problem.message).join('; '), command.name, problems)
  }
  return { given, remote }
}

/** Returns the options for an installation elsewhere. Throws `UsageError` if the command does not have these options. */
function readRemote({ name, place, inputs }: Command, texts: ReadonlyMap<string, string>): RemoteOptions {
  const given = Object.keys(REMOTE_OPTIONS).filter((one) => !(one in inputs) && texts.has(one))
  const [first] = given
  if (first !== undefined && typeof place === 'object') {
    const message = `\`${name}\` works only on the machine of the service, and takes no --${first}`
    throw new UsageError(message, name, [{ path: first, code: 'machine_only', message }])
  }
  return Object.fromEntries(given.map((one) => [one, texts.get(one)]))
}

const spelled = (name: string, input: Input<unknown>): string =>
  input.positional ? (input.value as string) : `--${name}`

/**
 * Returns the text given for each input; the text of a flag is empty. A positional argument that is given as an option
 * is not expected among the words.
 */
function textsOf(command: Command, words: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>()
  const tokens = tokensOf(command, words)
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, value = '' } = token
    if (texts.has(name) && (name in command.inputs || isRemote(name)))
      throw new UsageError(`--${name} is given twice`, command.name)
    texts.set(name, value)
  }
  const places = Object.entries(command.inputs).filter(
    ([name, input]) => input.positional && !texts.has(name),
  )
  for (const token of tokens) {
    if (token.kind !== 'positional') continue
    const place = places.shift()
    if (place === undefined) {
      throw new UsageError(`${JSON.stringify(token.value)} is one word too many`, command.name)
    }
    texts.set(place[0], token.value)
  }
  return texts
}

function tokensOf(command: Command, words: readonly string[]) {
  const options: ParseArgsOptionsConfig = {}
  for (const name of Object.keys(COMMON_OPTIONS)) options[name] = { type: 'boolean' }
  for (const name of Object.keys(REMOTE_OPTIONS)) options[name] = { type: 'string' }
  for (const [name, input] of Object.entries(command.inputs)) {
    options[name] = { type: input.value === undefined ? 'boolean' : 'string' }
  }
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: true, tokens: true }).tokens
  } catch (error) {
    throw asUsageError(error as NodeJS.ErrnoException, command, Object.keys(options))
  }
}

/** Converts a parser error of Node.js into a shorter `UsageError`, and suggests the most similar option. */
function asUsageError(error: NodeJS.ErrnoException, command: Command, known: readonly string[]): Error {
  const name = /'(-[^'\s]*)/.exec(error.message)?.[1] ?? ''
  const path = name.replace(/^-+/, '')
  switch (error.code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const near = nearest(path, known)
      const hint = near === undefined ? '' : `: did you mean --${near}?`
      const message = `\`${command.name}\` has no option ${name}${hint}`
      return new UsageError(message, command.name, [{ path, code: 'unknown_option', message }])
    }
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE': {
      const flag =
        (command.inputs[path] ?? (isRemote(path) ? REMOTE_OPTIONS[path] : undefined))?.value === undefined
      const message = `${name} ${flag ? 'takes no value' : `needs a value; write a value that begins with a dash as ${name}=-…`}`
      return new UsageError(message, command.name, [{ path, code: 'invalid_value', message }])
    }
    default:
      return error
  }
}
