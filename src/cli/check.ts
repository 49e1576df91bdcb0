// postrider check: checks a message in a file without sending it.

import { readFile, stat } from 'node:fs/promises'
import type { Static } from 'typebox'
import type { CheckView } from '../api/contract/guard.ts'
import { utf8Text } from '../lib/whole-file.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import type { Answer, Context } from './command.ts'
import { oneDomain, withApi } from './open.ts'
import { printable } from './text.ts'

type Checked = Static<typeof CheckView>
type Found = Checked['findings'][number]

/** Inputs of the command. */
interface Given {
  readonly file: string
  readonly text: string | undefined
  readonly subject: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly stream: string | undefined
  readonly clients: string | undefined
  readonly links: boolean
  readonly spam: boolean
  readonly template: boolean
  readonly domain: string | undefined
  readonly account: string | undefined
}

/** Maximum size of a file in bytes. */
const MAX_BYTES = 10 * 1_024 * 1_024

/**
 * Checks a file: a complete message (`.eml`), the JSON of a send request (`.json`), plain text (`.txt`), or otherwise
 * HTML. The answer has failed if the check found an error.
 */
export async function check(context: Context, given: Given): Promise<Answer> {
  const { file, text, links, spam, template, account } = given
  const body = {
    ...contentOf(file, await contentOfFile(context, file)),
    ...(text === undefined ? {} : { text: await contentOfFile(context, text) }),
    ...present({ subject: given.subject, from: given.from, stream: given.stream }),
    ...(given.to === undefined ? {} : { to: given.to.split(',').map((email) => ({ email: email.trim() })) }),
    ...(given.clients === undefined ? {} : { clients: given.clients.split(',').map((name) => name.trim()) }),
    ...(links ? { links: 'fetch' } : {}),
    ...(spam ? { spam } : {}),
    ...(template ? { unrendered: true } : {}),
  }
  return withApi(context, account, async (api) => {
    const domain = await oneDomain(api, given.domain)
    const found = await api.post<Checked>('/v1/check', body, { domain })
    return { document: found, text: shown(found, file), failed: found.verdict === 'fail' }
  })
}

const present = (fields: Readonly<Record<string, string | undefined>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

function contentOf(file: string, content: string): object {
  if (/\.txt$/i.test(file)) return { text: content }
  if (/\.(?:eml|msg|mbox)$/i.test(file)) return { raw: content }
  if (!/\.json$/i.test(file)) {
    // Standard input has no name; a message begins with a field (RFC 5322 §2.2).
    return file === '-' && /^[A-Za-z][A-Za-z\d-]{0,70}:[ \t]/.test(content)
      ? { raw: content }
      : { html: content }
  }
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The refusal below is the same as for another value.
  }
  const message = `${file} is not the JSON object of a send request.`
  throw invalidFields([{ path: 'file', code: 'invalid_json', message }])
}

async function contentOfFile(context: Context, file: string): Promise<string> {
  if (file === '-') return context.readInput()
  const bytes = await bytesOf(file)
  const text = utf8Text(bytes)
  if (text !== undefined) return text
  throw new Problem('malformed_request', `${file} is not UTF-8; save or encode the file as UTF-8.`)
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file)
    if (size > MAX_BYTES) {
      throw new Problem('body_too_large', `${file} has more than ${MAX_BYTES} bytes.`)
    }
    return await readFile(file)
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('malformed_request', `${file} cannot be read: ${(error as Error).message}.`)
  }
}

function shown({ verdict, findings, sizes, spam, not_checked }: Checked, file: string): string {
  const lines = findings.flatMap((one) => [headOf(one, file), `    ${printable(one.what_to_do)}`])
  const counted = (severity: Found['severity']): number =>
    findings.filter((one) => one.severity === severity).length
  const counts = `${counted('error')} errors, ${counted('warning')} warnings, ${counted('hint')} hints`
  const score = spam === null ? [] : [`Spam filter ${spam.filter}: ${spam.score} of ${spam.required}.`]
  const left = not_checked.length === 0 ? [] : [`Not checked to the end: ${not_checked.join(', ')}.`]
  return [
    ...lines,
    `${verdict}: ${counts}; HTML ${sizes.html} bytes, text ${sizes.text} bytes.`,
    ...score,
    ...left,
  ].join('\n')
}

/** Returns a finding in the form that editors read: file, line, column, severity. */
function headOf(
  { path, line, column, severity, code, message, excerpt, clients }: Found,
  file: string,
): string {
  const place = line === undefined ? path : `${file === '-' ? path : file}:${line}:${column ?? 1}`
  const quoted = excerpt === undefined ? '' : ` — ${printable(excerpt)}`
  const concerned = clients === undefined ? '' : ` (${clients.join(', ')})`
  return `${printable(place)}: ${severity} ${code}: ${printable(message)}${concerned}${quoted}`
}
