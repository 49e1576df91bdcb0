// Reads the file of a report of any kind and form, by its content: XML, JSON, gzip, zip, or a whole mail that contains one
// of these. No content makes the reader throw, or exceed its limits of time and memory.

import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { type Entry, fromBufferPromise } from 'yauzl'
import { type LeafPart, leafBytes, splitParts } from '../mime/parts.ts'
import { MAX_REPORT_BYTES, type ReadReport, type Unreadable } from '../model/report.ts'
import { ReportFault } from './bounded.ts'
import { readDmarcReport } from './dmarc-report.ts'
import { readFeedbackReport } from './feedback-report.ts'
import { readTlsReport } from './tls-report.ts'

/** Maximum unpacked size in bytes, and maximum ratio of the unpacked to the packed size. */
const MAX_UNPACKED = 64 * 1024 * 1024
const MAX_RATIO = 250
/** Unpacked size in bytes up to which the ratio does not matter, because a short file compresses well. */
const SMALL_UNPACKED = 1024 * 1024
const MAX_ENTRIES = 100
/** Number of parts of a mail that are tried. */
const MAX_PARTS_TRIED = 20
/** Number of bytes that are searched for the beginning of a document. */
const MAX_BEGINNING = 1_024

/** A mail carries its attachment in base64, which is larger by a third. */
const MAX_BYTES = Math.ceil(MAX_REPORT_BYTES * 1.5)

/**
 * Reads a report from its file: XML, JSON, gzip, zip or a whole mail. Returns the reason and the place for a file that
 * is no report. `now` is in milliseconds since the epoch.
 */
export async function readReportFile(bytes: Buffer, now: number): Promise<ReadReport | Unreadable> {
  try {
    if (bytes.length > MAX_BYTES) throw new ReportFault('The file is larger than 15 MiB.', 'the file')
    const { format, bytes: document } = await openFile(bytes)
    if (format === 'json') return readTlsReport(document, now)
    return format === 'xml' ? readDmarcReport(document, now) : readFeedbackReport(document)
  } catch (error) {
    if (error instanceof ReportFault)
      return { kind: 'unreadable', problem: error.message, where: error.where }
    // A fault of this reader must not stop the processing of other reports.
    return { kind: 'unreadable', problem: 'The report cannot be read.', where: String(error).slice(0, 200) }
  }
}

/** Document of a report, with the mail around the document. */
interface OpenedFile {
  readonly format: 'xml' | 'json' | 'feedback'
  readonly bytes: Buffer
}

type Form = 'xml' | 'json' | 'gzip' | 'zlib' | 'zip' | 'mail' | 'unknown'

/** Returns the form of a file by its first bytes. */
function formOf(bytes: Buffer): Form {
  if (bytes.length >= 4 && bytes.readUInt32BE(0) === 0x504b0304) return 'zip'
  if (bytes.length >= 2 && bytes.readUInt16BE(0) === 0x1f8b) return 'gzip'
  // RFC 1950 §2.2: the first two bytes are a multiple of 31.
  if (bytes.length >= 2 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0) return 'zlib'
  const wide = bytes.length >= 2 && (bytes.readUInt16BE(0) === 0xfeff || bytes.readUInt16BE(0) === 0xfffe)
  const begin = bytes.toString('latin1', 0, MAX_BEGINNING)
  const text = (wide ? begin.replaceAll('\0', '') : begin).replace(
    /^(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)?\s*/,
    '',
  )
  if (text.startsWith('<')) return 'xml'
  if (text.startsWith('{')) return 'json'
  return /^(?:From [^\n]*\n|>From [^\n]*\n)?[!-9;-~]{1,100}[ \t]*:/.test(text) ? 'mail' : 'unknown'
}

/** Opens a file. Throws `ReportFault` for a file that is no report, or that exceeds a limit. */
async function openFile(bytes: Buffer): Promise<OpenedFile> {
  const form = formOf(bytes)
  if (form === 'mail') return openMail(bytes)
  const opened = await openDocument(bytes, form, 'the file')
  if (opened !== undefined) return opened
  throw new ReportFault(
    bytes.length === 0 ? 'The file is empty.' : 'The file is neither XML, JSON, gzip, zip nor a mail.',
    'the first bytes',
  )
}

async function openDocument(bytes: Buffer, form: Form, where: string): Promise<OpenedFile | undefined> {
  if (form === 'xml' || form === 'json') return { format: form, bytes }
  if (form !== 'gzip' && form !== 'zip' && form !== 'zlib') return undefined
  const unpacked = form === 'zip' ? await unzip(bytes, where) : inflate(bytes, form, where)
  const inner = formOf(unpacked)
  if (inner === 'xml' || inner === 'json') return { format: inner, bytes: unpacked }
  throw new ReportFault('The unpacked file is neither XML nor JSON.', `${where}, unpacked`)
}

const limitFor = (packed: number): number =>
  Math.min(MAX_UNPACKED, Math.max(SMALL_UNPACKED, packed * MAX_RATIO))

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
}

const tooLarge = (where: string): ReportFault =>
  new ReportFault('The file unpacks to more than 64 MiB, or to more than 250 times its size.', where)

/**
 * Unpacks gzip (RFC 1952), whatever checksum and size the trailer announces, or zlib (RFC 1950); bytes after the first
 * member are ignored.
 */
function inflate(bytes: Buffer, form: 'gzip' | 'zlib', where: string): Buffer {
  const maxOutputLength = limitFor(bytes.length)
  const attempts = [
    () => (form === 'gzip' ? gunzipSync : inflateSync)(bytes, { maxOutputLength }),
    // Some authors append a line end, which `gunzipSync` takes for the beginning of another member.
    ...(form === 'gzip' ? bodiesOf(bytes) : []).map(
      (start) => () => inflateRawSync(bytes.subarray(start), { maxOutputLength }),
    ),
  ]
  for (const attempt of attempts) {
    try {
      return attempt()
    } catch (error) {
      if (isTooLarge(error)) throw tooLarge(where)
    }
  }
  throw new ReportFault(`The ${form} file is damaged.`, where)
}

/** Bit of the header that announces a file name (RFC 1952 §2.3.1). */
const HAS_NAME = 8

/** Returns the places at which the compressed data may begin. */
function bodiesOf(bytes: Buffer): readonly number[] {
  const nul = bytes.subarray(0, MAX_BEGINNING).indexOf(0, 10)
  const afterName = nul > 10 ? [nul + 1] : []
  // Mimecast has written the file name without the bit that announces the name.
  return ((bytes[3] ?? 0) & HAS_NAME) === 0 ? [10, ...afterName] : afterName
}

/** Unpacks the first XML or JSON file of a zip; names and paths in the zip are not used for anything else. */
async function unzip(bytes: Buffer, where: string): Promise<Buffer> {
  const damaged = new ReportFault('The zip file is damaged.', where)
  let entry: Entry | undefined
  try {
    const zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      validateEntrySizes: false,
      strictFileNames: false,
      decodeStrings: false,
    })
    let seen = 0
    let first: Entry | undefined
    for await (const one of zip.eachEntry()) {
      if (++seen > MAX_ENTRIES) break
      const name = String(one.fileName)
      if (name.endsWith('/')) continue
      first ??= one
      if (/\.(?:xml|json)$/i.test(name)) {
        entry = one
        break
      }
    }
    entry ??= first
    if (entry === undefined) throw new ReportFault('The zip file contains no file.', where)
    const start = entry.relativeOffsetOfLocalHeader
    // The local header (APPNOTE 4.3.7): 30 bytes, then the name and the extra field.
    const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const packed = bytes.subarray(from, from + entry.compressedSize)
    if (entry.compressionMethod === 0) return packed
    if (entry.compressionMethod !== 8 || (entry.generalPurposeBitFlag & 1) !== 0) {
      throw new ReportFault('The zip file is encrypted, or packed with a method other than deflate.', where)
    }
    return inflateRawSync(packed, { maxOutputLength: limitFor(packed.length) })
  } catch (error) {
    if (error instanceof ReportFault) throw error
    throw isTooLarge(error) ? tooLarge(where) : damaged
  }
}

/** Opens the first part of a mail that contains a report; the mail itself if it is a feedback report. */
async function openMail(bytes: Buffer): Promise<OpenedFile> {
  const { leaves } = splitParts(bytes)
  if (leaves.some(({ type }) => type === 'message/feedback-report')) return { format: 'feedback', bytes }
  // A file is more likely a report than the text for people, which may begin with a letter bracket as well.
  const parts = leaves.filter(isCandidate).sort((one, other) => rankOf(one) - rankOf(other))
  let fault: ReportFault | undefined
  for (const part of parts.slice(0, MAX_PARTS_TRIED)) {
    const content = leafBytes(part)
    try {
      const opened = await openDocument(content, formOf(content), 'the attachment')
      if (opened !== undefined && !isPage(opened)) return opened
    } catch (error) {
      if (!(error instanceof ReportFault)) throw error
      fault ??= error
    }
  }
  if (fault !== undefined) throw fault
  return { format: 'feedback', bytes }
}

const isCandidate = ({ type }: LeafPart): boolean => type !== 'text/html' && type !== 'message/rfc822'

const rankOf = ({ type }: LeafPart): number => (type === 'text/plain' ? 1 : 0)

/** True for a text that is a page instead of a report. */
const isPage = ({ format, bytes }: OpenedFile): boolean =>
  format === 'xml' &&
  /^[^<]*<(?:!doctype\s+html|html|body|div|p|table)\b/i.test(bytes.toString('latin1', 0, 200))
