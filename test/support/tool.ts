// The command line of a development tool: its usage, its arguments and its exit code.

/** Error for an argument that a tool does not have. */
export class WrongArgument extends Error {}

/** Output and exit code of a tool; the code is undefined if the tool has set the code of the process itself. */
export interface ToolEnd {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

const HELP: ReadonlySet<string> = new Set(['--help', '-h'])

/**
 * Runs a tool with the arguments of this process. `--help`, `-h` or a first argument `help` prints the usage and exits
 * with code 0. A `WrongArgument` that `run` throws prints its message and the usage, and exits with code 2.
 * @param run returns the exit code
 */
export async function runTool(
  usage: string,
  run: (words: readonly string[]) => Promise<number | undefined>,
): Promise<void> {
  const { code, stdout, stderr } = await toolEnd(usage, process.argv.slice(2), run)
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  if (code !== undefined) process.exitCode = code
}

/** Runs a tool with these arguments, as `runTool` does. */
export async function toolEnd(
  usage: string,
  words: readonly string[],
  run: (words: readonly string[]) => Promise<number | undefined>,
): Promise<ToolEnd> {
  const asksForHelp = words[0] === 'help' || words.some((word) => HELP.has(word))
  if (asksForHelp) return { code: 0, stdout: usage, stderr: '' }
  try {
    return { code: await run(words), stdout: '', stderr: '' }
  } catch (error) {
    if (!(error instanceof WrongArgument)) throw error
    return { code: 2, stdout: '', stderr: `${error.message}\n\n${usage}` }
  }
}

/** Reads one argument; the argument is undefined if it is missing. Throws `WrongArgument`. */
export type Reader<Value> = (word: string | undefined) => Value

/** Reads a whole number from 1. */
export const count =
  (name: string, usual: number): Reader<number> =>
  (word = String(usual)) => {
    if (!/^[1-9]\d{0,7}$/.test(word))
      throw new WrongArgument(`${name} is a whole number from 1, not ${word}.`)
    return Number(word)
  }

/** Reads one of several values, of which the first is the usual value. */
export const oneOf =
  <const Values extends readonly [string, ...string[]]>(
    name: string,
    ...values: Values
  ): Reader<Values[number]> =>
  (word = values[0]) => {
    const value = values.find((one) => one === word)
    if (value === undefined) throw new WrongArgument(`${name} is ${values.join(' or ')}, not ${word}.`)
    return value
  }

/** Reads arguments in the order of their readers. Throws `WrongArgument`, also for an argument without a reader. */
export function readWords<const Values extends readonly unknown[]>(
  words: readonly string[],
  ...readers: { readonly [Index in keyof Values]: Reader<Values[Index]> }
): Values {
  const extra = words[readers.length]
  if (extra !== undefined) throw new WrongArgument(`There is no argument ${extra} here.`)
  return readers.map((read, index) => read(words[index])) as unknown as Values
}

/** Returns the names that the arguments select, in the order of `all`; all names if there is no argument. */
export function selectedNames(
  words: readonly string[],
  kind: string,
  all: readonly string[],
): readonly string[] {
  const unknown = words.filter((word) => !all.includes(word))
  if (unknown.length > 0) throw new WrongArgument(`There is no ${kind} called ${unknown.join(', ')}.`)
  return words.length === 0 ? all : all.filter((name) => words.includes(name))
}

/** Returns names as lines of a usage, indented and separated by commas. */
export function wrappedNames(names: readonly string[], width = 100): string {
  const lines: string[] = []
  for (const name of names) {
    const longer = `${lines.at(-1)}, ${name}`
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(`  ${name}`)
  }
  return `${lines.join(',\n')}\n`
}
