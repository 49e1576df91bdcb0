// Texts of a failed call: a title, and a message for each field.

import { ProblemError } from '../client.ts'
import { common } from '../texts/en/common.ts'
import { inWords } from './in-words.ts'

const TITLES: Readonly<Record<number, keyof typeof common.problem>> = {
  400: 'invalid',
  401: 'loginFailed',
  403: 'notPermitted',
  404: 'notFound',
  409: 'conflict',
  410: 'notFound',
  413: 'tooLarge',
  422: 'invalid',
  429: 'tooMany',
}

/** Error of input that the dashboard itself refuses, with a message for the user. */
export class InputError extends Error {}

export function titleOf(error: Error): string {
  if (error instanceof InputError) return common.problem.invalid
  const problem = error instanceof ProblemError ? error : undefined
  if (problem?.code === 'connection_lost') return common.problem.connectionLost
  if (problem?.code === 'recent_login_required') return common.problem.loginRequired
  return common.problem[TITLES[problem?.status ?? 0] ?? 'other']
}

/** Fields whose members are named by the user: variables of a template, metadata, header fields. */
const NAMED_BY_USERS = /^((?:.*?\.)?(?:template_model|sample_model|model|variables|metadata|headers))\.(.+)$/

/**
 * Returns the message with the field in words and entries counted from 1: `suppressions[1].email` is "Suppressions 2,
 * email". Names that the user chose, such as variables of a template, stay unchanged.
 */
export function atField(path: string, message: string): string {
  const [, own = path, given] = NAMED_BY_USERS.exec(path) ?? []
  const field = own.replaceAll('.', ', ').replace(/\[(\d+)\]/g, (_, index) => ` ${Number(index) + 1}`)
  if (field === '') return message
  return `${[inWords(field), given].filter((part) => part !== undefined).join(', ')}: ${message}`
}

/** Returns the message with the name that the user chose, such as a variable of a template, for the field of its group. */
export function atOwnName(path: string, message: string): string {
  const name = NAMED_BY_USERS.exec(path)?.[2]
  return name === undefined ? message : `${name}: ${message}`
}

/** Returns the messages of a problem, without fields that show their messages themselves. */
export function linesOf(error: Error, except: readonly string[]): readonly string[] {
  const errors = error instanceof ProblemError ? error.errors : []
  if (errors.length === 0) return [error.message]
  return errors
    .filter(({ path }) => !except.includes(path))
    .map(({ path, message }) => atField(path, message))
}

/**
 * Returns the ID under which the log of the service has this internal error; undefined for errors that the user can
 * correct.
 */
export const requestOf = (error: Error): string | undefined =>
  error instanceof ProblemError && error.status >= 500 ? error.requestId : undefined

/** True if a repetition of the call would give the same error. */
export const isFinal = (error: Error): boolean =>
  error instanceof ProblemError && (error.status === 403 || error.status === 404)
