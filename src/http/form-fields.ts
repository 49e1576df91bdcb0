// Parses the bodies of forms (multipart/form-data and application/x-www-form-urlencoded) into their fields and files.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { invalidFields, Problem } from '../model/problem.ts'
import { Pacer } from '../threads/pacer.ts'
import { readText, type TextFields } from './json-body.ts'

/** Maximum number of fields and files of a form; a message to 1,000 recipients may name each in a field of its own. */
export const MAX_FORM_FIELDS = 4_000
/** Maximum length of the name of a field, in characters. */
const MAX_NAME_LENGTH = 300
/** Maximum size of the header of a part, and its maximum number of header fields. */
const MAX_HEADER_BYTES = 16 * 1024
const MAX_HEADER_FIELDS = 20
/** Bytes that are parsed without a pause. */
const PIECE = 64 * 1024

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

async function readMultipart(body: Buffer, contentType: string): Promise<FormFields> {
  const form = new FormFields()
  let failure: unknown
  const parser = parserFor(contentType, body.length)
  const ended = new Promise<void>((resolve) => {
    const fail = (error: unknown): void => {
      failure ??= error
      resolve()
    }
    const keep = (what: () => void): void => {
      try {
        what()
      } catch (error) {
        fail(error)
      }
    }
    parser.on('field', (name, value) => keep(() => form.addText(name, value)))
    parser.on('file', (name, stream, filename, _encoding, type) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('error', fail)
      stream.on('end', () => {
        // Text fields may have a media type; a file has a file name, or is of unknown type.
        keep(() =>
          form.addFile(name, { filename: filename ?? '', contentType: type, bytes: Buffer.concat(pieces) }),
        )
      })
    })
    parser.on('partsLimit', () => fail(tooManyFields()))
    parser.on('fieldsLimit', () => fail(tooManyFields()))
    parser.on('filesLimit', () => fail(tooManyFields()))
    parser.on('error', () => fail(malformed('The multipart body ends before its last boundary.')))
    parser.on('finish', resolve)
  })
  for (let at = 0; at < body.length && failure === undefined; at += PIECE) {
    await pacer.turn()
    parser.write(body.subarray(at, at + PIECE))
  }
  if (failure === undefined) parser.end()
  await ended
  if (failure === undefined) return form
  parser.destroy()
  throw failure
}

function parserFor(contentType: string, size: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType } as BusboyHeaders,
      limits: {
        ...{ fieldSize: size, fileSize: size },
        ...{ fields: MAX_FORM_FIELDS, files: MAX_FORM_FIELDS, parts: MAX_FORM_FIELDS },
        ...{ headerPairs: MAX_HEADER_FIELDS, headerSize: MAX_HEADER_BYTES },
      },
    })
  } catch {
    throw malformed('The header Content-Type: multipart/form-data has no boundary.')
  }
}

const malformed = (message: string): Problem => new Problem('malformed_request', message)
