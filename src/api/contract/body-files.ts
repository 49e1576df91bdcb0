// Shapes of bodies and responses that are files: JSON lines, CSV, XLSX workbooks and complete messages.

import { type TSchema, Type } from 'typebox'
import { WORKBOOK_TYPE } from '../../tables/workbook-writer.ts'

/**
 * Schema keyword that contains the shape of the first line and the shape of all further lines in a body of JSON lines.
 */
const LINES = 'x-lines'

/** Returns the schema of a text file with an example of its rows. */
const rowsFile = (description: string, example: string): TSchema =>
  Type.String({ description, examples: [example] })

/**
 * Returns the schema of JSON lines. OpenAPI cannot express the shapes of single lines, so the shapes are in a separate
 * keyword, and client generators see a string.
 */
export const linesFile = (
  description: string,
  shapes: readonly [first: TSchema, further: TSchema],
  example: string,
): TSchema => Type.String({ description, examples: [example], [LINES]: shapes })

/** Bodies of a table of rows by media type, with an example as CSV. */
export const tableFiles = (example: string): Readonly<Record<string, TSchema>> => ({
  'text/csv': rowsFile(
    'A table with a line of column names, separated by commas, semicolons or tabs',
    example,
  ),
  [WORKBOOK_TYPE]: Type.Unsafe<Uint8Array>({
    type: 'string',
    format: 'binary',
    description: 'The first sheet of an XLSX workbook, with the same columns as the CSV',
  }),
})

/** Returns the schema of a file in a response. */
export const fileShape = (mediaType: string): object =>
  mediaType === WORKBOOK_TYPE ? { type: 'string', format: 'binary' } : { type: 'string' }

/** Stands for the body of a complete message, which `RAW_FILES` describes. */
export const RawBody = Type.Object({}, { description: 'Complete message' })

const RAW_EXAMPLE = [
  'From: The Shop <shop@example.com>',
  'To: Ann <ann@example.net>',
  'Subject: Your receipt',
  '',
  'Thank you, Ann.',
  '',
].join('\r\n')

/** Bodies of a complete message by media type. */
export const RAW_FILES = {
  'message/rfc822': Type.String({
    description: 'Message with its header (RFC 5322, MIME), whose lines end with CRLF',
    examples: [RAW_EXAMPLE],
  }),
}
