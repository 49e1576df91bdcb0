// Faults that can be inserted into a source file: a changed operator, condition or constant.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { ROOT } from '../runner/plan.ts'

/** Source files, by area, in which a fault can lose mail or break security. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  accepting: [
    'src/submission/*.ts',
    'src/smtpd/*.ts',
    'src/store/messages/{messages,contents,recipients,batches}.ts',
  ],
  delivery: ['src/delivery/*.ts', 'src/egress/*.ts', 'src/smtp/*.ts'],
  leases: ['src/queue/*.ts', 'src/store/queue/*.ts', 'src/lib/lease*.ts'],
  authorisation: [
    'src/access/*.ts',
    'src/api/{authenticate,caller}.ts',
    'src/http/request-rates.ts',
    'src/store/access/*.ts',
  ],
  MIME: ['src/mime/*.ts', 'src/dkim/*.ts'],
}

/** Fault in a source file; `to` replaces the text from `start` to `end`. */
export interface Fault {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly to: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
}

/** Returns all possible faults in the files that match the patterns, in the order of the files. */
export function faultsOf(patterns: readonly string[]): readonly Fault[] {
  return globSync(patterns, { cwd: ROOT, exclude: ['**/*.test.ts'] })
    .toSorted()
    .flatMap((file) => faultsIn(file, readFileSync(join(ROOT, file), 'utf8')))
}

function faultsIn(file: string, text: string): readonly Fault[] {
  const faults: Fault[] = []
  const add = (start: number, end: number, to: string): void => void faults.push({ file, start, end, to })
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    if (!isNode(value) || value.type.startsWith('TS')) return
    faultOf(value, text, add)
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child)
  }
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node)
  return faults
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

function faultOf(node: Node, text: string, add: (start: number, end: number, to: string) => void): void {
  const { left, right, test, operator, value } = node as Node & {
    readonly left?: Node
    readonly right?: Node
    readonly test?: Node
    readonly operator?: string
    readonly value?: unknown
  }
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
    const other = OPERATORS[operator ?? '']
    if (other === undefined || left === undefined || right === undefined) return
    const at = text.indexOf(operator as string, left.end)
    add(at, at + (operator as string).length, other)
  }
  if ((node.type === 'IfStatement' || node.type === 'ConditionalExpression') && test !== undefined) {
    add(test.start, test.end, `!(${text.slice(test.start, test.end)})`)
  }
  if (node.type !== 'Literal') return
  if (typeof value === 'boolean') add(node.start, node.end, String(!value))
  if (typeof value === 'number') add(node.start, node.end, String(value + 1))
}
