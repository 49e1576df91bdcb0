// Reads standard input of commands, to the end or only the first line, as UTF-8 text.

import { fstatSync } from 'node:fs'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { utf8Text } from '../lib/whole-file.ts'
import { Problem } from '../model/problem.ts'

/** Type of the standard input stream of a process. */
export type Input = NodeJS.ReadStream & { readonly fd: number }

/** Reads standard input to its end. Throws `malformed_request` for text that is not UTF-8. */
export async function readAll(input: Input): Promise<string> {
  refuseDirectory(input)
  return textOf(await buffer(input))
}

/**
 * Reads the first line of standard input, without waiting for the end of the input; a terminal shows a prompt and hides
 * the typed characters. Throws like `readAll`.
 */
export async function readFirstLine(input: Input, asked: string): Promise<string> {
  if (input.isTTY) return ask(input, asked)
  refuseDirectory(input)
  const pieces: Buffer[] = []
  for await (const piece of input as AsyncIterable<Buffer>) {
    pieces.push(piece)
    // The rest of the input is not read, because the program that writes the input may never end.
    if (piece.includes('\n')) break
  }
  return firstLineOf(textOf(Buffer.concat(pieces)))
}

/** Returns a text up to its first line break. */
export const firstLineOf = (text: string): string => text.split(/\r?\n/, 1)[0] ?? ''

/** Throws if standard input is a directory, which Node.js would read as an empty file. */
function refuseDirectory({ fd }: Input): void {
  if (!fstatSync(fd).isDirectory()) return
  throw new Problem('malformed_request', 'Standard input is a directory; redirect it from a file.')
}

function textOf(bytes: Buffer): string {
  const text = utf8Text(bytes)
  if (text !== undefined) return text
  throw new Problem('malformed_request', 'Standard input is not UTF-8; save or encode it as UTF-8.')
}

/** Asks for a line on the terminal; Ctrl-C ends the process, as in other prompts. */
async function ask(input: Input, asked: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  lines.once('SIGINT', () => {
    lines.close()
    process.stderr.write('\n')
    process.kill(process.pid, 'SIGINT')
  })
  process.stderr.write(`${asked}: `)
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const line = await Promise.race([lines.question(''), ended])
  lines.close()
  process.stderr.write('\n')
  return line
}
