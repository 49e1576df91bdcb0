// Parses one command line, runs its command, and returns the output.

import { ConfigError } from '../config/load.ts'
import { packageVersion } from '../lib/package-version.ts'
import { type FieldProblem, Problem, type ProblemCode } from '../model/problem.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'
import { RefusedElsewhere } from './api.ts'
import type { Answer, Context } from './command.ts'
import { COMMANDS } from './commands.ts'
import { firstLineOf } from './input.ts'
import { type Parsed, parse, UsageError } from './parse.ts'
import { remoteOf } from './target.ts'
import { printable } from './text.ts'

type Optional = 'print' | 'readLine'

/** Result of a command line. */
export interface Finished {
  /** Exit code: 0 for success, 1 for a failure, 2 for an invalid command line or an unusable store or setting. */
  readonly code: 0 | 1 | 2
  /** Text for standard output; one JSON document with `--json`. */
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the command in the words after `postrider`. Never throws. The result contains all output if `print` is missing.
 * The default of `readLine` reads the whole input and returns its first line.
 */
export async function run(
  words: readonly string[],
  around: Omit<Context, 'json' | 'command' | Optional> & Partial<Pick<Context, Optional>>,
): Promise<Finished> {
  const end = words.indexOf('--')
  const json = (end === -1 ? words : words.slice(0, end)).includes('--json')
  let printed = ''
  const print = async (text: string): Promise<void> => {
    printed += text
  }
  const readLine = async (): Promise<string> => firstLineOf(await around.readInput())
  const finished = await finish(words, { print, readLine, ...around, json })
  return { ...finished, stdout: printed + finished.stdout }
}

async function finish(words: readonly string[], context: Context): Promise<Finished> {
  const { json } = context
  try {
    const answer = await answerTo(words, context)
    if (answer === undefined) return { code: 0, stdout: '', stderr: '' }
    const { document, text, note } = answer
    const stdout = json ? asJson(document) : asLines(text)
    return { code: answer.failed ? 1 : 0, stdout, stderr: json ? '' : asLines(note) }
  } catch (error) {
    return refusal(error, json)
  }
}

const asLines = (text = ''): string => (text === '' ? '' : `${text}\n`)
const asJson = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

async function answerTo(words: readonly string[], context: Context): Promise<Answer | undefined> {
  const asked = parse(words, COMMANDS)
  switch (asked.kind) {
    case 'run':
      return runCommand(context, asked)
    case 'version': {
      const version = packageVersion()
      return { document: { version, node: process.versions.node }, text: `postrider ${version}` }
    }
    case 'help': {
      const { helpText } = await import('./help.ts')
      const help = helpText(asked.about, COMMANDS)
      return { document: { help }, text: help }
    }
  }
}

async function runCommand(
  context: Context,
  { command, given, remote: options }: Extract<Parsed, { kind: 'run' }>,
): Promise<Answer | undefined> {
  const { name, place } = command
  const own = { ...context, command: name }
  if (place !== undefined) return command.run(own, given, options)
  const remote = await remoteOf(context, options, name)
  const isRead = remote !== undefined && options.key === '-'
  return command.run({ ...(isRead ? withoutInput(own, name) : own), remote }, given, options)
}

/** Returns a context for a command whose key was the standard input. */
function withoutInput(context: Context, name: string): Context {
  const refuse = async (): Promise<never> => {
    throw new UsageError('--key - and this command both read standard input; use POSTRIDER_KEY', name)
  }
  return { ...context, readInput: refuse, readLine: refuse }
}

/** Errors that repeat until the command line, the settings or the store is changed. */
const REPEATED_IN_VAIN = [UsageError, ConfigError, UnfitSettingsError]

/** Formats a failure as the `error` of a JSON document, or as sentences on standard error. */
function refusal(error: unknown, json: boolean): Finished {
  const report = reportOf(error)
  const more = report.errors.map((one) => one.message).filter((message) => !report.detail.includes(message))
  const sentences = [`postrider: ${report.detail}`, ...more.map((message) => `  ${message}`)].map(
    (sentence) => printable(sentence, true),
  )
  const isBug = report.code === 'internal_error' && !(error instanceof RefusedElsewhere)
  const trace = isBug ? [String((error as Error)?.stack)] : []
  return {
    code: REPEATED_IN_VAIN.some((kind) => error instanceof kind) ? 2 : 1,
    stdout: json ? asJson({ error: report }) : '',
    stderr: [...(json ? [] : sentences), ...trace].map((line) => `${line}\n`).join(''),
  }
}

interface Report {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly FieldProblem[]
  /** ID in the request log of an installation elsewhere. */
  readonly request_id?: string
}

/** Remedies for errors of the operating system about a file that the command line names. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'check that the path is right',
  ENOTDIR: 'check that the path is right',
  EISDIR: 'name a file instead of a directory',
  EACCES: 'run the command as a user with the permission, or change the permissions',
  EPERM: 'run the command as a user with the permission, or change the permissions',
  EROFS: 'name a path on a disk that can be written',
  ENOSPC: 'free space on the disk, or name a path on another disk',
}

function reportOf(error: unknown): Report {
  if (error instanceof Problem) {
    const { code, message: detail, errors } = error
    const id = error instanceof RefusedElsewhere ? error.requestId : undefined
    return { ...{ code, detail, errors }, ...(id === undefined ? {} : { request_id: id }) }
  }
  if (error instanceof ConfigError) {
    const errors = error.problems.map((message) => ({
      path: message.split(' ', 1)[0] ?? '',
      code: 'invalid_setting',
      message,
    }))
    return { code: 'validation_failed', detail: 'The settings cannot be used:', errors }
  }
  const { syscall, code = '', message } = error as NodeJS.ErrnoException
  // The operator can fix a system error, such as an unreadable file, so the stack trace is left out.
  if (syscall !== undefined) {
    const remedy = REMEDIES[code] === undefined ? '' : `; ${REMEDIES[code]}`
    return { code: 'unavailable', detail: `${message}${remedy}.`, errors: [] }
  }
  return { code: 'internal_error', detail: message, errors: [] }
}
