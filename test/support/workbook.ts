// XLSX workbooks that tests build from single parts, like programs and attackers do.

import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** Parts of a workbook that name the sheet, the shared strings and the styles. */
const FRAME: Readonly<Record<string, string>> = {
  '_rels/.rels': `<Relationships><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="${OFFICE}/styles" Target="/xl/styles.xml"/></Relationships>`,
  'xl/sharedStrings.xml': '<sst/>',
  'xl/styles.xml': '<styleSheet/>',
}

/** Returns a workbook with these parts and the parts of `FRAME`. */
export function workbookOf(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, xml] of Object.entries({ ...FRAME, ...parts }))
    zip.addBuffer(typeof xml === 'string' ? Buffer.from(xml) : xml, name)
  zip.end()
  return buffer(zip.outputStream)
}

/** Returns a workbook whose only sheet has these rows of text cells. */
export const workbookWith = (rows: readonly (readonly string[])[]): Promise<Buffer> =>
  workbookOf({
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.map((cells) => `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`).join('')}</sheetData></worksheet>`,
  })
