// Files with tables that the service reads: CSV, and XLSX workbooks.

import { tables } from '../texts/en/tables.ts'
import { InputError } from './problem-words.ts'

const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Endings of the files by media type, as a field for files takes them; office programs register their own type for CSV. */
export const TABLE_TYPES = {
  'text/csv': ['.csv'],
  'text/plain': ['.txt'],
  'text/tab-separated-values': ['.tsv'],
  'application/vnd.ms-excel': ['.csv'],
  [WORKBOOK_TYPE]: ['.xlsx'],
}

/** True for the name of an XLSX workbook. */
export const isWorkbook = (name: string | null): boolean => /\.xlsx$/i.test(name ?? '')

/** The media type that the service reads a file as, by its name: systems disagree about the type. */
export const tableType = ({ name }: File): string => (isWorkbook(name) ? WORKBOOK_TYPE : 'text/csv')

/** More than a file of nothing but line breaks has. */
const MAX_BLANK_BYTES = 4_096

/** Refuses a file without anything in it, before it is uploaded. */
export async function requireContent(file: File): Promise<void> {
  if (file.size > MAX_BLANK_BYTES) return
  if ((await file.text()).trim() === '') throw new InputError(tables.emptyFile)
}
