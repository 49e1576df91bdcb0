// Submits the messages in a folder, and compares how independent parsers read each message before and after the
// submission.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { dkimRecord, generateDkimKey, loadDkimKey } from '../../../src/dkim/keys.ts'
import { type Signer, sign } from '../../../src/dkim/sign.ts'
import { type ComposedMessage, messageChunks } from '../../../src/model/composed-message.ts'
import { hasPython, PythonReader } from './python-reader.ts'
import { asMailparser } from './readers.ts'
import { OWN_ADDRESS, OWN_DOMAIN, submitted } from './submitted.ts'

/**
 * True for a parsed value that the submission must keep; the service may change an empty or undecodable value when it
 * repairs a message.
 */
const says = (found: unknown): boolean => {
  const text = JSON.stringify(found) ?? 'null'
  return (
    !/^(?:\[\]|null|"")$/.test(text) && !/\ufffd|\u00ef\u00bf\u00bd|\|(?:undefined)?"|unreadable/.test(text)
  )
}

/**
 * Returns the message as the domain of the credential would send it: with CRLF lines, and with sender addresses of this
 * domain.
 */
function asOwn(given: Buffer): Buffer {
  const text = given
    .toString('latin1')
    .replace(/\r\n?|\n/g, '\r\n')
    .replaceAll('\0', '')
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end + 2)
  const own = head.replace(
    /^(?:\xef\xbb\xbf)?(?:From|Sender|Resent-From|Resent-Sender)[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*/gim,
    (field) => field.replace(/[^\s<>"(),;:=?[\]]+@[^\s<>"(),;:?[\]]+/g, OWN_ADDRESS),
  )
  return Buffer.from(own + text.slice(head.length), 'latin1')
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

/** Minimum share of accepted messages, and maximum share of accepted messages that a parser reads differently. */
const MIN_TAKEN = 0.97
const MAX_OTHERWISE = 0.03

/**
 * Prints each refusal and each difference, then the totals. Returns true if at least 97 percent of the messages were
 * accepted, at most 3 percent of these read differently after the submission, and all of these have a valid signature.
 */
export async function submitFolder(folder: string): Promise<boolean> {
  const python = hasPython() ? new PythonReader() : undefined
  const { privateKey, publicKey } = await generateDkimKey('rsa-sha256')
  const key = loadDkimKey('rsa-sha256', privateKey)
  const signer: Signer = { domain: OWN_DOMAIN, selector: 's', algorithm: 'rsa-sha256', key }
  const record = dkimRecord('rsa-sha256', publicKey)
  const figures = { mails: 0, taken: 0, otherwise: 0, signed: 0 }
  for (const path of filesIn(folder)) {
    const raw = asOwn(readFileSync(path))
    figures.mails++
    const result = submitted(raw)
    if (result.refusal !== undefined) {
      console.log(`${path}: ${result.refusal}`)
      continue
    }
    figures.taken++
    if (await isSignedWell(result.composed, signer, record)) figures.signed++
    else console.log(`${path}: the signature is invalid`)
    const read = await python?.read(raw)
    const before = { ...(await asMailparser(raw)), ...prefixed(read) }
    const after = { ...(await asMailparser(result.wire)), ...prefixed(await python?.read(result.wire)) }
    const other = Object.keys(before).filter(
      (key) =>
        !/^(?:date|message_id|python (?:from_old|ends_early))$/.test(key) &&
        // The repair replaces this reading, in which header fields are text.
        !(key === 'python parts' && read?.ends_early === true) &&
        says(before[key]) &&
        !isDeepStrictEqual(before[key], after[key]),
    )
    if (other.length === 0) continue
    figures.otherwise++
    for (const key of other) console.log(`${path}: ${key}: ${brief(before[key])} became ${brief(after[key])}`)
  }
  await python?.close()
  console.log(figures, python === undefined ? 'without python3' : '')
  return (
    figures.taken >= MIN_TAKEN * figures.mails &&
    figures.otherwise <= MAX_OTHERWISE * figures.taken &&
    figures.signed === figures.taken
  )
}

/** True if the message has exactly one DKIM signature, and mailauth finds it valid. */
async function isSignedWell(message: ComposedMessage, signer: Signer, record: string): Promise<boolean> {
  const bytes = Buffer.concat(messageChunks(message, await sign(message, [signer], Date.now())))
  const { results } = await dkimVerify(bytes, { resolver: async () => [[record]] })
  return results.length === 1 && results[0]?.status.result === 'pass'
}

const brief = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing'

const prefixed = (found: object | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(found ?? {}).map(([key, value]) => [`python ${key}`, value]))
