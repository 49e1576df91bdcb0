// Reads the first sheet of an XLSX workbook (ECMA-376) as CSV, within limits, because a ZIP file may unpack to any
// size.

import { posix } from 'node:path'
import { Parser } from 'htmlparser2'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { isDateFormat, SheetRows } from './workbook-sheet.ts'

/** Maximum unpacked size of a part, in bytes, by kind. */
const MAX_UNPACKED = { sheet: 256 << 20, strings: 64 << 20, other: 1 << 20 } as const
/** Maximum number of parts of the package; pictures and similar parts are not read. */
const MAX_ENTRIES = 10_000
const MAX_DEPTH = 64
const MAX_STRINGS = 2_000_000

/** Reason why a workbook cannot be read, in words for the user. */
export class WorkbookError extends Error {}

type Attributes = Readonly<Record<string, string>>

/** Listener for the elements of a part; names have no namespace prefix. */
interface Elements {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/**
 * Returns the first visible sheet as CSV with commas: dates in ISO form, numbers without format. Rows without content
 * become empty lines, so that rows keep their numbers.
 *
 * @param maxBytes maximum size of the CSV, in bytes of UTF-8
 * @throws WorkbookError for an invalid workbook, or a workbook that exceeds a limit
 */
export async function workbookAsCsv(bytes: Buffer, maxBytes: number): Promise<string> {
  let parts: Package
  try {
    parts = await Package.open(bytes)
  } catch (error) {
    if (error instanceof WorkbookError) throw error
    throw new WorkbookError(
      'The file is no XLSX workbook; save a file of an older program, or a file with a password, as XLSX without a password.',
    )
  }
  try {
    return await firstSheet(parts, maxBytes)
  } catch (error) {
    if (error instanceof WorkbookError) throw error
    throw new WorkbookError(`The XLSX workbook is damaged: ${(error as Error).message.slice(0, 200)}`)
  }
}

async function firstSheet(parts: Package, maxBytes: number): Promise<string> {
  const [main] = [...(await parts.relations('')).values()].filter(({ type }) => type === 'officeDocument')
  if (main === undefined) throw new WorkbookError('The file is no XLSX workbook: it names no workbook.')
  const { sheetId, is1904 } = await readWorkbook(parts, main.path)
  const relations = await parts.relations(main.path)
  const sheet = sheetId === undefined ? undefined : relations.get(sheetId)
  if (sheet === undefined) throw new WorkbookError('The XLSX workbook has no visible sheet of cells.')
  const pathOf = (wanted: string): string | undefined =>
    relations.values().find(({ type }) => type === wanted)?.path
  const strings = await readStrings(parts, pathOf('sharedStrings'))
  const dateStyles = await readDateStyles(parts, pathOf('styles'))
  const rows = new SheetRows({ strings, dateStyles, is1904 })
  const lines: string[] = []
  let line = 1
  let bytes = 0
  await parts.read(sheet.path, MAX_UNPACKED.sheet, {
    open: (name, attributes) => rows.open(name, attributes),
    text: (text) => rows.text(text),
    close(name) {
      const cells = rows.close(name)
      if (cells === undefined) return
      // The size is checked before the cells are joined, because any number of cells may share one long text.
      if (bytes + cells.reduce((sum, cell) => sum + cell.length, 0) > maxBytes) throw tooLarge(maxBytes)
      const before = '\n'.repeat(Math.max(0, rows.line - line))
      line = Math.max(line, rows.line) + 1
      const text = before + cells.map(quoted).join(',')
      bytes += Buffer.byteLength(text) + 1
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      lines.push(text)
    },
  })
  return lines.join('\n')
}

const tooLarge = (maxBytes: number): WorkbookError =>
  new WorkbookError(`The first sheet has more than ${maxBytes} bytes as CSV; send less at once.`)

const quoted = (cell: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Returns the relation of the first visible sheet, and whether days are counted from 1904. */
async function readWorkbook(parts: Package, path: string) {
  let sheetId: string | undefined
  let is1904 = false
  await parts.read(path, MAX_UNPACKED.other, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes.date1904)
      if (name !== 'sheet' || sheetId !== undefined || (attributes.state ?? 'visible') !== 'visible') return
      sheetId = Object.entries(attributes).find(([key]) => local(key) === 'id' && key !== 'id')?.[1]
    },
  })
  return { sheetId, is1904 }
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true'

/** Returns the strings that cells refer to, without phonetic hints. */
async function readStrings(parts: Package, path: string | undefined): Promise<readonly string[]> {
  const strings: string[] = []
  if (path === undefined) return strings
  let current = ''
  let inText = false
  let phonetic = false
  await parts.read(path, MAX_UNPACKED.strings, {
    open(name) {
      if (name === 'si') current = ''
      inText = name === 't' && !phonetic
      if (name === 'rPh') phonetic = true
    },
    text(text) {
      if (inText) current += text
    },
    close(name) {
      inText = false
      if (name === 'rPh') phonetic = false
      if (name === 'si' && strings.push(current) > MAX_STRINGS) {
        throw new WorkbookError(`The XLSX workbook has more than ${MAX_STRINGS} different texts.`)
      }
    },
  })
  return strings
}

/** Returns for each cell style whether the style shows a number as a date or time. */
async function readDateStyles(parts: Package, path: string | undefined): Promise<readonly boolean[]> {
  const styles: boolean[] = []
  if (path === undefined) return styles
  const codes = new Map<number, string>()
  let inCells = false
  await parts.read(path, MAX_UNPACKED.other * 8, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode)
      if (name === 'cellXfs') inCells = true
      if (name === 'xf' && inCells) styles.push(isDateFormat(Number(numFmtId), codes.get(Number(numFmtId))))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return styles
}

interface Relation {
  /** Last segment of the type's URI, which is the same in the transitional and the strict form of OOXML. */
  readonly type: string
  readonly path: string
}

/** The parts of an Open Packaging Conventions package. */
class Package {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  static async open(bytes: Buffer): Promise<Package> {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true })
    if (zip.entryCount > MAX_ENTRIES) throw new WorkbookError('The XLSX workbook has too many parts.')
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
    return new Package(zip, entries)
  }

  /** Returns the relations of a part by ID, or of the package if the path is empty. */
  async relations(path: string): Promise<ReadonlyMap<string, Relation>> {
    const found = new Map<string, Relation>()
    const folder = posix.dirname(path)
    await this.read(posix.join(folder, '_rels', `${posix.basename(path)}.rels`), MAX_UNPACKED.other, {
      open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
        if (name !== 'Relationship' || mode === 'External') return
        found.set(id, {
          type: type.slice(type.lastIndexOf('/') + 1),
          path: posix.join(target.startsWith('/') ? '' : folder, target.replace(/^\//, '')),
        })
      },
    })
    return found
  }

  /** Parses an XML part in pieces. Entities of a document type are not expanded. */
  async read(path: string, maxBytes: number, elements: Elements): Promise<void> {
    const entry = this.#entries.get(path.toLowerCase())
    if (entry === undefined) throw new WorkbookError(`The XLSX workbook has no part ${path.slice(0, 100)}.`)
    // The stream ends with an error if the unpacked size of a part differs from the announced size.
    if (entry.uncompressedSize > maxBytes) {
      throw new WorkbookError(`The XLSX workbook unpacks to more than ${maxBytes} bytes.`)
    }
    const parser = parserFor(elements)
    for await (const text of textOf(await this.#zip.openReadStreamPromise(entry))) parser.write(text)
    parser.end()
  }
}

/** Number of bytes that determine the encoding of a part. */
const MARK = 2

/** Yields the text of a part: UTF-8, or UTF-16 with a byte order mark (ECMA-376-2 §8.1.1, XML 1.0 §4.3.3). */
async function* textOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begin: Buffer = Buffer.alloc(0)
  let decoder: TextDecoder | undefined
  for await (const piece of bytes) {
    begin = decoder === undefined ? Buffer.concat([begin, piece]) : piece
    if (decoder === undefined && begin.length < MARK) continue
    decoder ??= new TextDecoder(encodingOf(begin), { fatal: true })
    yield decoded(decoder, begin)
  }
  decoder ??= new TextDecoder('utf-8', { fatal: true })
  yield decoded(decoder)
}

function encodingOf(begin: Buffer): string {
  const mark = begin.readUInt16BE(0)
  if (mark === 0xfeff) return 'utf-16be'
  return mark === 0xfffe ? 'utf-16le' : 'utf-8'
}

/** Decodes bytes, or flushes the decoder if `bytes` is undefined. */
function decoded(decoder: TextDecoder, bytes?: Buffer): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch {
    throw new WorkbookError(
      'The XLSX workbook has a part that is neither UTF-8 nor UTF-16; open it and save it again as XLSX.',
    )
  }
}

function parserFor(elements: Elements): Parser {
  let depth = 0
  return new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw new WorkbookError('The XLSX workbook is nested too deeply.')
        elements.open?.(local(name), attributes)
      },
      ontext: (text) => elements.text?.(text),
      onclosetag(name) {
        depth--
        elements.close?.(local(name))
      },
    },
    { xmlMode: true },
  )
}

/** Returns a name without the prefix of its namespace. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1)
