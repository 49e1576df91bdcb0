// Writes rows as an XLSX workbook (ECMA-376) with one sheet, as a stream.

import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
/** The media type of a workbook. */
export const WORKBOOK_TYPE = `${SHEET_TYPE}.sheet`

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** The parts of the package in addition to the sheet. */
const PARTS = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/**
 * Returns a workbook with a fixed first row. A cell that is a number in its shortest form becomes a number; all other
 * cells become texts, which no program runs as a formula.
 */
export function writeWorkbook(rows: AsyncIterable<readonly string[]>): Readable {
  const zip = new ZipFile()
  for (const [name, xml] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(XML + xml), name)
  const sheet = Readable.from(sheetOf(rows), { objectMode: false })
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml')
  zip.end()
  const output = zip.outputStream as Readable
  // The consumer notices an error when the output is destroyed. The rows are destroyed when the consumer disconnects.
  zip.on('error', (error: Error) => output.destroy(error))
  output.once('close', () => sheet.destroy())
  return output
}

/** Minimum number of characters of XML per write. */
const PIECE = 64 * 1024

async function* sheetOf(rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let piece = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
  for await (const cells of rows) {
    piece += `<row>${cells.map(cellOf).join('')}</row>`
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  yield `${piece}</sheetData></worksheet>`
}

/** Maximum number of digits that a spreadsheet keeps in a number. */
const MAX_DIGITS = 15

const isNumber = (text: string): boolean =>
  text.length <= MAX_DIGITS && /^-?\d/.test(text) && String(Number(text)) === text

const cellOf = (text: string): string =>
  text === ''
    ? '<c/>'
    : isNumber(text)
      ? `<c><v>${text}</v></c>`
      : `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** Returns the text of an element, without the characters that XML 1.0 (§2.2) excludes. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>\r]/g, (char) => ENTITIES[char] ?? char)
