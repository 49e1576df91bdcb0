// Table files that the service can read: CSV files and XLSX workbooks.

import { tables } from '../texts/en/tables.ts'
import { InputError } from './problem-words.ts'

const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** File extensions by media type, for a file field; office programs register a separate type for CSV. */
export const TABLE_TYPES = {
  'text/csv': ['.csv'],
  'text/plain': ['.txt'],
  'text/tab-separated-values': ['.tsv'],
  'application/vnd.ms-excel': ['.csv'],
  [WORKBOOK_TYPE]: ['.xlsx'],
}

/** True if the name is that of an XLSX workbook. */
export const isWorkbook = (name: string | null): boolean => /\.xlsx$/i.test(name ?? '')

/** Returns the media type of a table file from its name, because systems report different types. */
export const tableType = ({ name }: File): string => (isWorkbook(name) ? WORKBOOK_TYPE : 'text/csv')

/** Maximum size in bytes of a file that may consist only of line breaks. */
const MAX_BLANK_BYTES = 4_096

/** Throws for a file without content, before the upload. */
export async function requireContent(file: File): Promise<void> {
  if (file.size > MAX_BLANK_BYTES) return
  if ((await file.text()).trim() === '') throw new InputError(tables.emptyFile)
}

/**
 * Returns a CSV file in UTF-8. Spreadsheets save "Unicode text" in UTF-16, which a byte order mark, or a NUL next to the
 * first character, identifies. Any other file is returned unchanged.
 */
export async function asUtf8(file: File): Promise<File> {
  const [first = -1, second = -1] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const charset = utf16Of(first, second)
  if (charset === undefined) return file
  const text = new TextDecoder(charset).decode(await file.arrayBuffer())
  return new File([text], file.name, { type: 'text/csv', lastModified: file.lastModified })
}

function utf16Of(first: number, second: number): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second > 0) ? 'utf-16be' : undefined
}
