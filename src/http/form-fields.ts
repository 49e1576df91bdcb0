// Parses the bodies of forms (multipart/form-data and application/x-www-form-urlencoded) into their fields and files.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { invalidFields, Problem } from '../model/problem.ts'
import { Pacer } from '../threads/pacer.ts'
import { readText, type TextFields } from './json-body.ts'

/** Maximum number of fields and files of a form; a message to 1,000 recipients may name each in a field of its own. */
export const MAX_FORM_FIELDS = 4_000
/** Maximum length of the name of a field, in characters. */
const MAX_NAME_LENGTH = 300
/** Maximum size of the header of a part, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024

/** File of a form. */
export interface FormFile {
  /** File name as given; empty if the part has none. */
  readonly filename: string
  /** Media type as given, without parameters. */
  readonly contentType: string
  readonly bytes: Buffer
}

/**
 * Fields and files of a form in their order; a name may occur several times. The class hides the bytes of files from
 * schema validation.
 */
export class FormFields {
  readonly #texts = new Map<string, string[]>()
  readonly #files = new Map<string, FormFile[]>()
  #count = 0

  /** Names of all text fields, in the order of their first occurrence. */
  get names(): readonly string[] {
    return [...this.#texts.keys()]
  }

  /** Names of all fields with files. */
  get fileNames(): readonly string[] {
    return [...this.#files.keys()]
  }

  /** Returns all values of a field; an empty list if the form lacks the field. */
  texts(name: string): readonly string[] {
    return this.#texts.get(name) ?? []
  }

  /** Returns the last value of a field, which wins over earlier values; undefined if the form lacks the field. */
  text(name: string): string | undefined {
    return this.#texts.get(name)?.at(-1)
  }

  files(name: string): readonly FormFile[] {
    return this.#files.get(name) ?? []
  }

  /** Adds a field. Throws `validation_failed` for too many fields. */
  addText(name: string, value: string): void {
    this.#add(this.#texts, name, value)
  }

  /** Adds a file. Throws `validation_failed` for too many fields. */
  addFile(name: string, file: FormFile): void {
    this.#add(this.#files, name, file)
  }

  /** Returns the fields, and the files by their hashes, in a form that is equal for equal forms. */
  toJSON(): object {
    const files = [...this.#files].map(([name, all]) => [
      name,
      all.map(({ filename, contentType, bytes }) => ({
        ...{ filename, contentType },
        hash: hash('sha256', bytes, 'base64'),
      })),
    ])
    return { fields: [...this.#texts], files }
  }

  #add<T>(map: Map<string, T[]>, name: string, value: T): void {
    if (name.length > MAX_NAME_LENGTH) {
      throw malformed(`The name of a field has at most ${MAX_NAME_LENGTH} characters.`)
    }
    this.#count++
    if (this.#count > MAX_FORM_FIELDS) throw tooManyFields()
    const all = map.get(name)
    if (all === undefined) map.set(name, [value])
    else all.push(value)
  }
}

const tooManyFields = (): Problem =>
  invalidFields([
    {
      path: '',
      code: 'too_many',
      message: `A form contains at most ${MAX_FORM_FIELDS} fields and files; use one field with commas for many addresses.`,
    },
  ])

const GZIP = /^(?:x-)?gzip$/i

/**
 * Returns the body without its `Content-Encoding: gzip`; any other body unchanged.
 *
 * @param maxBytes maximum size of the unpacked body in bytes
 * @throws Problem for a body that is no gzip, or that is too large when unpacked
 */
export async function unpackForm(
  body: Buffer,
  { contentEncoding }: TextFields,
  maxBytes: number,
): Promise<Buffer> {
  if (contentEncoding === undefined || !GZIP.test(contentEncoding)) return body
  try {
    return await promisify(gunzip)(body, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge
      ? new Problem(
          'body_too_large',
          `A request body has at most ${maxBytes} bytes when unpacked; send less at once.`,
        )
      : new Problem('malformed_request', 'The body is not valid gzip, despite Content-Encoding: gzip.')
  }
}

/** Pacer that pauses while large forms are parsed, so that other work runs in between. */
const pacer = new Pacer()

/**
 * Parses a form. Texts without a charset are UTF-8.
 *
 * @throws Problem for a body that is no form of its media type, or has too many fields
 */
export async function readForm(body: Buffer, headers: TextFields): Promise<FormFields> {
  return /^multipart\/form-data\b/i.test(headers.contentType ?? '')
    ? await readMultipart(body, headers.contentType as string)
    : readUrlEncoded(body, headers.contentType)
}

function readUrlEncoded(body: Buffer, contentType: string | undefined): FormFields {
  const { text } = readText(body, { contentType })
  const form = new FormFields()
  // Ampersands are counted first, because parsing would create an object for each field.
  let count = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    count++
    if (count > MAX_FORM_FIELDS) throw tooManyFields()
  }
  for (const [name, value] of new URLSearchParams(text)) form.addText(name, value)
  return form
}

/** Number of parts that are parsed without a pause. */
const PIECE = 50

/**
 * Parses a multipart body, whose bytes are all here, by searching the delimiter. Files are views of the body, not
 * copies.
 */
async function readMultipart(body: Buffer, contentType: string): Promise<FormFields> {
  const form = new FormFields()
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  // The delimiter of the first part may begin the body, without a line break before it.
  const isFirst = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  let at = isFirst ? -2 : body.indexOf(delimiter)
  for (let parts = 0; ; parts++) {
    if (at === -1) throw malformed('The multipart body ends before its last boundary.')
    const start = at + delimiter.length
    if (body[start] === HYPHEN && body[start + 1] === HYPHEN) return form
    if (parts > 0 && parts % PIECE === 0) await pacer.turn()
    const isLineEnd = body[start] === CR && body[start + 1] === LF
    const lineEnd = isLineEnd ? start : body.indexOf(LINE_END, start)
    const headEnd = lineEnd === -1 ? -1 : body.indexOf(HEAD_END, lineEnd)
    at = headEnd === -1 ? -1 : body.indexOf(delimiter, headEnd + 2)
    if (at === -1) continue
    if (headEnd - lineEnd > MAX_HEADER_BYTES) {
      throw malformed(`The header of a part has at most ${MAX_HEADER_BYTES} bytes.`)
    }
    const head = body.toString('utf8', lineEnd + 2, Math.max(lineEnd + 2, headEnd))
    addPart(form, head, body.subarray(Math.min(headEnd + 4, at), at))
  }
}

const [LF, CR, HYPHEN] = [0x0a, 0x0d, 0x2d]
const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare
  if (boundary !== undefined) return boundary
  throw malformed('The header Content-Type: multipart/form-data has no boundary.')
}

/** Matches the header of a text as most clients write it: only the name, without an escape. */
const PLAIN_HEAD = /^content-disposition: form-data; name="([^"\\%\r\n]*)"$/i

/** Adds a part: a file if the part has a file name or is of unknown type, otherwise a text. */
function addPart(form: FormFields, head: string, bytes: Buffer): void {
  const plain = PLAIN_HEAD.exec(head)?.[1]
  if (plain !== undefined) {
    form.addText(plain, readText(bytes, {}).text)
    return
  }
  const fields = new Map<string, string>()
  const unfolded = /\n[ \t]/.test(head) ? head.replaceAll(/\r\n[ \t]+/g, ' ') : head
  for (const line of unfolded.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const disposition = fields.get('content-disposition') ?? ''
  const name = parameterOf(disposition, NAME)
  if (name === undefined) throw malformed('A part of the multipart body has no name.')
  const contentType = fields.get('content-type') ?? ''
  const [type = ''] = contentType.split(';', 1)
  const filename = parameterOf(disposition, FILENAME)
  const isEncoded = /^base64$/i.test(fields.get('content-transfer-encoding') ?? '')
  const content = isEncoded ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes
  if (filename === undefined && !/^application\/octet-stream$/i.test(type.trim())) {
    form.addText(name, readText(content, { contentType }).text)
  } else form.addFile(name, { filename: filename ?? '', contentType: type.trim(), bytes: content })
}

/**
 * Returns a parameter of a Content-Disposition field: with an encoding (RFC 5987 §3.2.1), in quotes, or as a token.
 * Browsers and libraries write quotes and line breaks in names as `%22`, `%0D` and `%0A` (HTML, "multipart form data").
 */
function parameterOf(disposition: string, { extended, plain }: Parameter): string | undefined {
  const encoded = disposition.includes('*=') ? extended.exec(disposition)?.[1] : undefined
  if (encoded !== undefined) return decoded(encoded)
  const [, quoted, token] = plain.exec(disposition) ?? []
  if (quoted === undefined) return token
  return /[\\%]/.test(quoted) ? quoted.replaceAll(/\\(["\\])|%(22|0D|0A)/gi, unescaped) : quoted
}

/** Patterns of a parameter with an encoding, and of a parameter in quotes or as a token. */
interface Parameter {
  readonly extended: RegExp
  readonly plain: RegExp
}

const NAME: Parameter = {
  extended: /;\s*name\*=utf-8'[\w-]*'([^\s;]+)/i,
  plain: /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i,
}
const FILENAME: Parameter = {
  extended: /;\s*filename\*=utf-8'[\w-]*'([^\s;]+)/i,
  plain: /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i,
}

const unescaped = (_: string, character: string | undefined, hex: string): string =>
  character ?? String.fromCharCode(Number.parseInt(hex, 16))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const malformed = (message: string): Problem => new Problem('malformed_request', message)
