// A process of Node or Python that runs many programs one after another, because starting a process costs more than
// most programs.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Reads programs as lines of JSON, and prints the output of each program as a line of JSON. */
const NODE = `
import { stripTypeScriptTypes } from 'node:module'
import { createInterface } from 'node:readline'
const print = process.stdout.write.bind(process.stdout)
let output = ''
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (piece, ...more) => {
    output += piece
    more.find((one) => typeof one === 'function')?.()
    return true
  }
}
for await (const line of createInterface({ input: process.stdin })) {
  const { code, env } = JSON.parse(line)
  Object.assign(process.env, env)
  output = ''
  try {
    await import('data:text/javascript,' + encodeURIComponent(stripTypeScriptTypes(code)))
  } catch (error) {
    console.error(error)
  }
  print(JSON.stringify(output) + '\\n')
}
`

const PYTHON = `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    program = json.loads(line)
    os.environ.update(program["env"])
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            exec(program["code"], {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
    print(json.dumps(output.getvalue()), flush=True)
`

const COMMANDS = {
  typescript: [
    ...[process.execPath, '--disable-warning=ExperimentalWarning'],
    ...['--input-type=module', '--eval', NODE],
  ],
  python: ['python3', '-c', PYTHON],
} as const

/** Runs programs of one language. A program has its own names, but shares modules and globals with other programs. */
export class Interpreter {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>

  /** Starts the process with exactly these environment variables. */
  constructor(language: keyof typeof COMMANDS, env: Readonly<Record<string, string | undefined>>) {
    const [command, ...args] = COMMANDS[language]
    this.#child = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /**
   * Runs a program; `env` sets environment variables. Returns the output of the program, which includes its error.
   * @throws Error if the program ends the process
   */
  async run(code: string, env: Readonly<Record<string, string>>): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify({ code, env })}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`the process ended in:\n${code}`)
    return JSON.parse(value)
  }

  /** Ends the process after the running program. */
  async stop(): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.stdin.end()
    await ended
  }
}
