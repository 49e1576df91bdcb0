// Operations of templates beyond the grammar: the words that users of other services know.

import type { Charge, Operation } from './tree.ts'
import { isNothing, ownProperty, textOf } from './values.ts'

/** An operation and how many arguments it takes. */
export interface OperationRule {
  readonly operation: Operation
  readonly least: number
  readonly most: number
}

const isTrue = (value: unknown): boolean => value !== 0 && !isNothing(value)

/** Numbers and texts are compared by what they print; lists and objects only with themselves. */
const equal: Operation = ([one, other], charge) => {
  if (typeof one === 'object' || typeof other === 'object') return one === other
  const [a, b] = [textOf(one, charge), textOf(other, charge)]
  if (a.length !== b.length) return false
  charge(a.length)
  return a === b
}

/** Below 0 when the first is less: by number where both are numbers, else by text; NaN when neither is both. */
function compare(one: unknown, other: unknown, charge: Charge): number {
  const [a, b] = [numberOf(one), numberOf(other)]
  if (a !== undefined && b !== undefined) return a - b
  if (typeof one !== 'string' || typeof other !== 'string') return NaN
  charge(2 * Math.min(one.length, other.length))
  return one < other ? -1 : one > other ? 1 : 0
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.length > 30 || value.trim() === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

/** A text changed letter by letter. */
const changed =
  (change: (text: string) => string): Operation =>
  ([value], charge) => {
    const text = textOf(value, charge)
    charge(text.length)
    return change(text)
  }

const titleCase = (text: string): string =>
  text.toLowerCase().replace(/(^|[\s-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase())

const DEFAULT = 'default='

/** `{{insert name "default=Customer"}}`. */
const insert: Operation = ([value, otherwise]) => {
  if (!isNothing(value)) return value
  return typeof otherwise === 'string' && otherwise.startsWith(DEFAULT)
    ? otherwise.slice(DEFAULT.length)
    : otherwise
}

const length: Operation = ([value]) =>
  Array.isArray(value) || typeof value === 'string' ? value.length : undefined

const lookup: Operation = ([value, name], charge) => {
  const text = textOf(name, charge)
  charge(text.length)
  return ownProperty(value, text)
}

const COMPARISONS: Readonly<Record<string, OperationRule>> = {
  equals: { operation: equal, least: 2, most: 2 },
  equal: { operation: equal, least: 2, most: 2 },
  notEquals: { operation: (args, charge) => !equal(args, charge), least: 2, most: 2 },
  greaterThan: { operation: ([one, other], charge) => compare(one, other, charge) > 0, least: 2, most: 2 },
  lessThan: { operation: ([one, other], charge) => compare(one, other, charge) < 0, least: 2, most: 2 },
  and: { operation: (args) => args.every(isTrue), least: 2, most: 20 },
  or: { operation: (args) => args.some(isTrue), least: 2, most: 20 },
}

const VALUES: Readonly<Record<string, OperationRule>> = {
  lookup: { operation: lookup, least: 2, most: 2 },
  length: { operation: length, least: 1, most: 1 },
  insert: { operation: insert, least: 2, most: 2 },
  upper: { operation: changed((text) => text.toUpperCase()), least: 1, most: 1 },
  lower: { operation: changed((text) => text.toLowerCase()), least: 1, most: 1 },
  title: { operation: changed(titleCase), least: 1, most: 1 },
  url: { operation: changed((text) => encodeURIComponent(text.toWellFormed())), least: 1, most: 1 },
}

/** The operation of this name. */
export const findOperation = (name: string): OperationRule | undefined =>
  Object.hasOwn(COMPARISONS, name)
    ? COMPARISONS[name]
    : Object.hasOwn(VALUES, name)
      ? VALUES[name]
      : undefined

/** The comparison of this name, which may also stand at the head of a block. */
export const findComparison = (name: string): OperationRule | undefined =>
  Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined

/** Every name. */
export const OPERATION_NAMES: readonly string[] = [...Object.keys(COMPARISONS), ...Object.keys(VALUES)]
